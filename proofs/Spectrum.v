(* Balls of eigenvalues (lib/certified/eigen_bounds.cpp and spectrum.cpp; docs/eigenvalues.md): distances, clusters, and what is kept for an eigenvalue. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Eft Rounding Sums ZivSource OutwardSource Outward CertifiedSource Linear Certified Euclid ColumnsSource Columns EigenSource Eigen SpectrumSource.

Open Scope R_scope.

Section Bounds.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.
Variable exponent_of : option R -> Z.
Hypothesis exponent_right : forall x, 0 < x -> x < pow (exponent_of (Some x)) /\ pow (exponent_of (Some x) - 1) <= x.

Notation add_up := (add_up bits_of number_of).
Notation mul_up := (mul_up bits_of number_of).
Notation div_up := (div_up bits_of number_of).
Notation below := (OutwardSource.below bits_of number_of).
Notation sqrt_down := (sqrt_down bits_of number_of).
Let add_bound := add_bound bits_of bits_right.
Let mul_bound := mul_bound bits_of bits_right.
Let div_bound := div_bound bits_of bits_right.

(* A number that is no larger than z, or 0. *)
Definition lower (a : option R) (z : R) : Prop := exists y, a = Some y /\ format64 y /\ 0 <= y /\ (0 < y -> y <= z).

Lemma zero_lower (z : R) : lower (Some 0) z.
Proof. exists 0. split; [reflexivity|]. split; [apply generic_format_0|]. split; lra. Qed.

Lemma below_lower (z : R) : lower (below (fits (rd64 z))) z.
Proof.
  destruct (fits (rd64 z)) as [x|] eqn:E; [|apply zero_lower]. apply fits_some in E as (E & L). destruct (Rle_or_lt x 0) as [N|P].
  - unfold OutwardSource.below. cbn [xlt xfinite]. rewrite Rlt_bool_false by lra. cbn [andb]. apply zero_lower.
  - assert (Zp : 0 <= z). { destruct (Rle_or_lt 0 z) as [Q|Q]; [exact Q|]. exfalso. assert (T : rd64 z <= rd64 0) by (apply rnd64_le; lra). rewrite (rnd64_exact 0 (generic_format_0 _ _) : rd64 0 = 0) in T. lra. }
    destruct (below_number bits_of bits_right x ltac:(rewrite E; apply rnd64_format) ltac:(rewrite <- E, Rabs_pos_eq in L by lra; lra)) as (y & Ey & Fy & Py & Hy & _). exists y. repeat split; auto.
Qed.

Lemma lower_weaker (a : option R) (y z : R) : lower a y -> y <= z -> lower a z.
Proof. intros (x & E & F & P & L) H. exists x. repeat split; auto. intros Q. specialize (L Q). lra. Qed.

(* A lower bound less an upper one. *)
Lemma lower_minus (a b : option R) (z w : R) : lower a z -> bound b w -> lower (below (xsub a b)) (z - w).
Proof.
  intros (y & -> & Fy & Py & Ly) Hb. destruct b as [v|]; [|apply zero_lower]. destruct Hb as (Fv & Pv & Lv). destruct (below_lower (y - v)) as (x & Ex & Fx & Px & Lx). exists x. repeat split; auto.
  intros Q. specialize (Lx Q). assert (0 < y) by lra. specialize (Ly ltac:(lra)). lra.
Qed.

Lemma sqrt_down_lower (a : option R) (z : R) : lower a z -> lower (sqrt_down a) (sqrt z).
Proof.
  intros (y & -> & Fy & Py & Ly). unfold ColumnsSource.sqrt_down. cbn [xsqrt]. rewrite Rlt_bool_false by lra. destruct (Req_dec y 0) as [->|N].
  - rewrite sqrt_0. destruct (below_lower 0) as (x & Ex & Fx & Px & Lx). exists x. repeat split; auto. intros Q. specialize (Lx Q). lra.
  - apply (lower_weaker _ (sqrt y)); [apply below_lower|]. apply sqrt_le_1_alt, Ly. lra.
Qed.

(* 1 - a, rounded downwards, and its root. *)
Lemma one_minus_lower (a : R) : format64 a -> 0 <= a -> lower (below (xsub (Some (IZR 1)) (Some a))) (1 - a).
Proof. intros Fa Pa. apply lower_minus; [|now apply bound_exact]. exists 1. repeat split; [apply (format64_bpow 0); lia | lra | lra]. Qed.

Lemma divided (a b : option R) (x z : R) : 0 <= x -> bound a x -> lower b z -> match div_up a b with Some q => format64 q /\ 0 <= q /\ 0 < z /\ x / z <= q | None => True end.
Proof.
  intros Hx Ba (y & -> & Fy & Py & Ly). destruct (Req_dec y 0) as [->|N].
  - destruct a as [v|]; [|exact I]. unfold OutwardSource.div_up. cbn [xdiv]. rewrite Req_bool_true by reflexivity. exact I.
  - assert (P : 0 < y) by lra. specialize (Ly P). assert (B := div_bound a x y P Ba). destruct (div_up a (Some y)) as [q|]; [|exact I]. destruct B as (Fq & Pq & Lq). repeat split; auto; [lra|].
    eapply Rle_trans; [|exact Lq]. unfold Rdiv. apply Rmult_le_compat_l; [exact Hx | apply Rinv_le_contravar; lra].
Qed.

(* The sum of two numbers with its error. *)
Lemma two_sum_right (a b : R) : format64 a -> format64 b -> match xtwo_sum (Some a) (Some b) with
  | (Some s, Some l) => format64 s /\ format64 l /\ s + l = a + b /\ s = rd64 (a + b) | (None, Some _) => False | (_, None) => True end.
Proof.
  intros Fa Fb. unfold xtwo_sum. unfold xadd, xtwo. destruct (fits (rd64 (a + b))) as [s|] eqn:E; [|exact I]. apply fits_some in E as (-> & _). destruct (fits (snd (two_sum_source a b))) as [l|] eqn:El; [|exact I]. apply fits_some in El as (-> & _).
  unfold two_sum_source, add_rn_source. cbv zeta. cbn [snd]. repeat split; try apply rnd64_format. assert (H := two_sum_real a b Fa Fb). cbv zeta in H. exact H.
Qed.

(* D = dh + dl, in two parts. *)
Variables (n : nat) (dh dl : nat -> R).
Hypothesis parts_format : forall k, format64 (dh k) /\ format64 (dl k).
Definition D (k : nat) : R := dh k + dl k.
Notation distance j k := (distance_down bits_of number_of (numbers dh) (numbers dl) j k).

Lemma distance_lower (j k : nat) : lower (distance (Z.of_nat j) (Z.of_nat k)) (D k - D j).
Proof.
  destruct (parts_format j) as (Fj & Gj). destruct (parts_format k) as (Fk & Gk). unfold distance_down, numbers. cbv zeta. rewrite !Nat2Z.id. cbn [xneg xabs].
  assert (T := two_sum_right (dh k) (- dh j) Fk (format64_opp _ Fj)). destruct (xtwo_sum (Some (dh k)) (Some (- dh j))) as ([h|], [l|]); cbn [fst snd xabs]; try contradiction; try (unfold xadd, xsub, xtwo; cbn; apply zero_lower).
  destruct T as (Fh & Fl & E & _). set (e1 := rd64 (dl k - dl j)). change (xsub (Some (dl k)) (Some (dl j))) with (fits e1). destruct (fits e1) as [x|] eqn:E1; [apply fits_some in E1 as (-> & _) | unfold xadd, xsub, xtwo; apply zero_lower].
  set (e2 := rd64 (l + e1)). change (xadd (Some l) (Some e1)) with (fits e2). destruct (fits e2) as [x|] eqn:E2; [apply fits_some in E2 as (-> & _) | unfold xadd, xsub, xtwo; apply zero_lower].
  set (e3 := rd64 (h + e2)). change (xadd (Some h) (Some e2)) with (fits e3). destruct (fits e3) as [x|] eqn:E3; [apply fits_some in E3 as (-> & _) | unfold xsub, xtwo; apply zero_lower].
  set (s := Rabs h + Rabs l + (Rabs (dl k) + Rabs (dl j))). assert (P1 := Rabs_pos h). assert (P2 := Rabs_pos l). assert (P3 := Rabs_pos (dl k)). assert (P4 := Rabs_pos (dl j)).
  assert (Bs : bound (mul_up (Some (rd64 (IZR 8 * rounding_unit))) (add_up (add_up (Some (Rabs h)) (Some (Rabs l))) (add_up (Some (Rabs (dl k))) (Some (Rabs (dl j)))))) (8 * u64 * s)).
  { apply mul_bound; [unfold u64; lra | unfold s; lra | | repeat apply add_bound; apply bound_exact; try apply Rabs_pos; now apply generic_format_abs].
    rewrite bounds_unit. assert (E8 : IZR 8 * u64 = pow (-50)) by (rewrite u64_bpow; change (IZR 8) with (pow 3); rewrite <- bpow_plus; reflexivity). rewrite E8, (rnd64_exact (pow (-50)) (format64_bpow (-50) ltac:(lia)) : rd64 (pow (-50)) = pow (-50)).
    rewrite <- E8. apply bound_exact; [rewrite E8; apply format64_bpow; lia | unfold u64; lra]. }
  destruct (mul_up _ _) as [m|]; [|unfold xsub, xtwo; apply zero_lower]. destruct Bs as (Fm & Pm & Lm). apply (lower_weaker _ (e3 - m)); [apply below_lower|].
  assert (C1 := rnd64_sum (dl k) (- dl j) Gk (format64_opp _ Gj)). change (rnd64 (dl k + - dl j)) with e1 in C1. assert (C2 := rnd64_sum l e1 Fl (rnd64_format _)). change (rnd64 (l + e1)) with e2 in C2.
  assert (C3 := rnd64_sum h e2 Fh (rnd64_format _)). change (rnd64 (h + e2)) with e3 in C3. assert (T1 := Rabs_triang (dl k) (- dl j)). rewrite Rabs_Ropp in T1. assert (T2 := Rabs_triang l e1). assert (T3 := Rabs_triang h e2).
  assert (M1 : Rabs e1 <= (1 + u64) * (Rabs (dl k) + Rabs (dl j))) by (replace e1 with ((dl k + - dl j) + (e1 - (dl k + - dl j))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
  assert (M2 : Rabs e2 <= (1 + u64) * (Rabs l + Rabs e1)) by (replace e2 with ((l + e1) + (e2 - (l + e1))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
  assert (Err : Rabs (e3 - (D k - D j)) <= 8 * u64 * s).
  { replace (e3 - (D k - D j)) with ((e3 - (h + e2)) + ((e2 - (l + e1)) + (e1 - (dl k + - dl j)))) by (unfold D; lra). eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang|]. unfold s, u64 in *. lra. }
  split_abs Err. lra.
Qed.

(* The eigenvalues, in ascending order, and the numbers of D. *)
Variable lambda : nat -> R.
Hypothesis eigenvalues_ascend : forall i j, (i <= j < n)%nat -> lambda i <= lambda j.
Hypothesis D_ascends : forall i j, (i <= j < n)%nat -> D i <= D j.

(* Weyl's bound, from the norms of the columns of F = A X - X D, with X1 and X2 as in Eigen.v. *)
Variables (r : nat) (X1 X2 F : nat -> nat -> R) (residuals : Z -> option R).
Hypothesis n_small : (Z.of_nat n <= 2 ^ 50)%Z.
Hypothesis residuals_right : forall k, (k < n)%nat -> stored (residuals (Z.of_nat k)) /\ bound (residuals (Z.of_nat k)) (norm r (fun i => F i k)).
(* From the literature: Kahan's theorem, with Weyl's. *)
Hypothesis kahan : forall a f, 0 <= a < 1 -> near_orthogonal r n X1 X2 a -> (forall v, norm r (product n F v) <= f * norm n v) -> forall k, (k < n)%nat -> Rabs (lambda k - D k) <= f / sqrt (1 - a).

(* Theorem: the number `residual` is no smaller than the distance of the k-th eigenvalue from the k-th number of D. *)
Theorem weyl_radius (a : R) : format64 a -> 0 <= a < 1 -> near_orthogonal r n X1 X2 a ->
  match residual_of bits_of number_of exponent_of (Z.of_nat n) (Some a) residuals with Some w => format64 w /\ 0 <= w /\ forall k, (k < n)%nat -> Rabs (lambda k - D k) <= w | None => True end.
Proof.
  intros Fa Ha Near. unfold residual_of. cbv zeta. assert (M := matrix_norm_right bits_of bits_right exponent_of exponent_right r n F residuals n_small residuals_right).
  set (f := norm_up bits_of number_of exponent_of (Z.of_nat n) residuals) in *. clearbody f. destruct f as [f|]; [|unfold OutwardSource.div_up; exact I]. destruct M as (Ff & Pf & _ & Lf).
  assert (Q := divided (Some f) _ f (sqrt (1 - a)) Pf (bound_exact f Ff Pf) (sqrt_down_lower _ _ (one_minus_lower a Fa ltac:(lra)))). destruct (div_up (Some f) _) as [w|]; [|exact I]. destruct Q as (Fw & Pw & _ & Lw).
  split; [exact Fw|]. split; [exact Pw|]. intros k Hk. eapply Rle_trans; [exact (kahan a f Ha Near Lf k Hk) | exact Lw].
Qed.

Variable w : R.
Hypothesis w_right : format64 w /\ 0 <= w /\ forall k, (k < n)%nat -> Rabs (lambda k - D k) <= w.

Lemma twice_right : bound (twice bits_of number_of (Some w)) (2 * w).
Proof. unfold twice. cbv zeta. replace (2 * w) with (w + w) by ring. apply add_bound; apply bound_exact; tauto. Qed.

(* Theorem: eigenvalues that the code puts in different clusters, before and from k, are at least `between` apart, and `gap` is no larger than that. *)
Theorem clusters_separate (k i j : nat) (gap : option R) : (0 < k)%nat -> (i < k <= j)%nat -> (j < n)%nat ->
  let (gap', between) := separation bits_of number_of (numbers dh) (numbers dl) (twice bits_of number_of (Some w)) gap (Z.of_nat k) in
  exists y, between = Some y /\ 0 <= y /\ (0 < y -> y <= lambda j - lambda i) /\
    (y = 0 -> gap' = gap) /\ (0 < y -> forall g, gap = Some g -> exists g', gap' = Some g' /\ 0 < g' <= y /\ (0 < g -> g' <= g)).
Proof.
  intros Hk Hi Hj. unfold separation. cbv zeta. destruct (Z.eqb_spec (Z.of_nat k) 0) as [E|_]; [lia|]. assert (L := distance_lower (k - 1) k). replace (Z.of_nat (k - 1)) with (Z.of_nat k - 1)%Z in L by lia.
  destruct (lower_minus _ _ _ _ L twice_right) as (y & -> & Fy & Py & Ly). exists y. split; [reflexivity|]. split; [exact Py|]. destruct w_right as (Fw & Pw & Hw). split; [|split].
  - intros P. specialize (Ly P). assert (W1 := Hw i ltac:(lia)). assert (W2 := Hw j Hj). split_abs W1. split_abs W2. assert (A1 := D_ascends i (k - 1) ltac:(lia)). assert (A2 := D_ascends k j ltac:(lia)). lra.
  - intros ->. cbn [xlt]. change (IZR 0) with 0. now rewrite Rlt_bool_false by lra.
  - intros P g ->. cbn [xlt]. change (IZR 0) with 0. rewrite (Rlt_bool_true 0 y) by exact P. destruct (Rlt_bool_spec 0 g) as [G|G].
    + cbn [xmin]. exists (Rmin g y). split; [reflexivity|]. split; [split; [now apply Rmin_glb_lt | apply Rmin_r] | intros _; apply Rmin_l].
    + exists y. split; [reflexivity|]. split; [lra | intros; lra].
Qed.

(* Further eigenvalues: none below those of a Hermitian matrix. Those of ((0, A), (A^H, 0)) are the singular values of A, for which `lambda` stands then, their negatives, and perhaps 0. *)
Variables (below_first : Z) (at_zero : bool) (radii0 centers0 : Z -> option R) (other : R -> Prop).
Hypothesis others_below : forall e, other e -> below_first <> below_nothing /\ e <= 0.
Hypothesis not_negative : below_first <> below_nothing -> forall i, (i < n)%nat -> 0 <= lambda i /\ 0 <= D i.
Definition positive : bool := (negb at_zero || xlt (radii0 0%Z) (centers0 0%Z))%bool.
(* The first cluster may reach what lies below it. *)
Definition reaches (first : nat) : Prop := first = 0%nat /\ positive = false.

(* How far an eigenvalue's number of D lies from the eigenvalues of other clusters; none if there are none. *)
Definition apart (first end_ k : nat) (g : R) : Prop := (forall i, (i < first)%nat -> lambda i <= D k - g) /\ (forall i, (end_ <= i < n)%nat -> D k + g <= lambda i).
Definition distances (first end_ k : nat) : option R * option R :=
  judge_distances bits_of number_of (Z.of_nat n) (numbers dh) (numbers dl) (Some w) below_first at_zero radii0 centers0 (Z.of_nat first) (Z.of_nat end_) (Z.of_nat k).
Definition distance_of (first end_ k : nat) : option R := fst (distances first end_ k).
Definition apart_of (first end_ k : nat) : option R := snd (distances first end_ k).
(* The distance of 0, which lies below every singular value of a cluster that does not reach it. *)
Definition zero_apart (first k : nat) (g : R) : Prop := below_first <> below_nothing -> ~ reaches first -> g <= D k.

Lemma cluster_distances (first end_ k : nat) : (first <= k < end_)%nat -> (end_ <= n)%nat ->
  match distance_of first end_ k with Some y => format64 y /\ 0 <= y /\ (0 < y -> apart first end_ k y /\ zero_apart first k y) | None => first = 0%nat /\ end_ = n /\ (below_first = below_nothing \/ positive = false) end /\
  match apart_of first end_ k with Some y => format64 y /\ 0 <= y /\ (0 < y -> apart first end_ k y /\ (below_first <> below_negatives -> zero_apart first k y))
    | None => first = 0%nat /\ end_ = n /\ (below_first = below_nothing \/ below_first = below_negatives \/ positive = false) end.
Proof.
  intros Hk Hn. destruct w_right as (Fw & Pw & Hw). assert (Bw : bound (Some w) w) by now apply bound_exact. unfold distance_of, apart_of, distances, judge_distances. cbv zeta. cbn [fst snd].
  set (to_left := if (Z.of_nat first =? 0)%Z then None else _). set (to_right := if (Z.of_nat end_ =? Z.of_nat n)%Z then None else _). fold positive. set (to_zero := below (xsub (numbers dh (Z.of_nat k)) _)).
  assert (Left : match to_left with Some y => (0 < first)%nat /\ format64 y /\ 0 <= y /\ (0 < y -> forall i, (i < first)%nat -> lambda i <= D k - y) | None => first = 0%nat end).
  { unfold to_left. destruct (Z.eqb_spec (Z.of_nat first) 0) as [E|E]; [lia|]. assert (L := distance_lower (first - 1) k). replace (Z.of_nat (first - 1)) with (Z.of_nat first - 1)%Z in L by lia.
    destruct (lower_minus _ _ _ _ L Bw) as (y & -> & Fy & Py & Ly). split; [lia|]. repeat split; auto. intros P i Hi. specialize (Ly P). assert (W := Hw i ltac:(lia)). split_abs W. assert (A := D_ascends i (first - 1) ltac:(lia)). lra. }
  assert (Right : match to_right with Some y => format64 y /\ 0 <= y /\ (0 < y -> forall i, (end_ <= i < n)%nat -> D k + y <= lambda i) | None => end_ = n end).
  { unfold to_right. destruct (Z.eqb_spec (Z.of_nat end_) (Z.of_nat n)) as [E|E]; [lia|]. assert (L := distance_lower k end_).
    destruct (lower_minus _ _ _ _ L Bw) as (y & -> & Fy & Py & Ly). repeat split; auto. intros P i Hi. specialize (Ly P). assert (W := Hw i ltac:(lia)). split_abs W. assert (A := D_ascends end_ i ltac:(lia)). lra. }
  assert (Zero : exists y, to_zero = Some y /\ format64 y /\ 0 <= y /\ (0 < y -> y <= D k)).
  { unfold to_zero, numbers. rewrite Nat2Z.id. cbn [xabs].
    assert (Low := below_lower (dh k - Rabs (dl k))). destruct Low as (y & Ey & Fy & Py & Ly). change (xsub (Some (dh k)) (Some (Rabs (dl k)))) with (fits (rd64 (dh k - Rabs (dl k)))). exists y. repeat split; auto.
    intros P. specialize (Ly P). assert (B := Rle_abs (- dl k)). rewrite Rabs_Ropp in B. unfold D. lra. }
  clearbody to_left to_right to_zero. destruct Zero as (z & -> & Fz & Pz & Lz).
  (* The two distances, with what lies below. *)
  assert (Both : forall left, match left with Some y => format64 y /\ 0 <= y /\ (0 < y -> forall i, (i < first)%nat -> lambda i <= D k - y) | None => first = 0%nat end ->
    match xmin left to_right with Some y => format64 y /\ 0 <= y /\ (0 < y -> apart first end_ k y /\ (forall v, left = Some v -> y <= v)) | None => first = 0%nat /\ end_ = n /\ left = None end).
  { intros left L. destruct left as [y|], to_right as [v|]; cbn [xmin].
    - destruct L as (Fy & Py & Ly). destruct Right as (Fv & Pv & Lv). split; [unfold Rmin; now destruct Rle_dec|]. split; [now apply Rmin_glb|]. intros P. assert (M1 := Rmin_l y v). assert (M2 := Rmin_r y v). split; [split|].
      + intros i Hi. specialize (Ly ltac:(lra) i Hi). lra.
      + intros i Hi. specialize (Lv ltac:(lra) i Hi). lra.
      + intros u [= <-]. exact M1.
    - destruct L as (Fy & Py & Ly). repeat split; auto; [intros i Hi; lia | intros u [= <-]; lra].
    - destruct Right as (Fv & Pv & Lv). repeat split; auto; [intros i Hi; lia | discriminate].
    - auto. }
  assert (Old := Both to_left ltac:(destruct to_left; tauto)).
  assert (Far : forall y, (0 < y)%R -> (0 < first)%nat -> apart first end_ k y -> zero_apart first k y).
  { intros y P Pf (A & _) B _. specialize (A 0%nat Pf). destruct (not_negative B 0%nat ltac:(lia)). lra. }
  assert (New : let left := if ((negb (below_first =? below_nothing)%Z && (Z.of_nat first =? 0)%Z) && positive)%bool then Some z else to_left in
    match xmin left to_right with Some y => format64 y /\ 0 <= y /\ (0 < y -> apart first end_ k y /\ zero_apart first k y) | None => first = 0%nat /\ end_ = n /\ (below_first = below_nothing \/ positive = false) end).
  { cbv zeta. destruct (Z.eqb_spec below_first below_nothing) as [E|E]; cbn [negb andb].
    - destruct (xmin to_left to_right) as [y|]; [|tauto]. destruct Old as (Fy & Py & A). repeat split; auto; try (now apply A). intros N. now elim N.
    - destruct (Z.eqb_spec (Z.of_nat first) 0) as [Q0|Q0]; cbn [andb].
      + destruct positive eqn:Q.
        * assert (B := Both (Some z) ltac:(repeat split; auto; intros _ i Hi; lia)). destruct (xmin (Some z) to_right) as [y|]; [|destruct B as (_ & _ & B); discriminate].
          destruct B as (Fy & Py & A). split; [exact Fy|]. split; [exact Py|]. intros P. destruct (A P) as (A1 & A2). split; [exact A1|]. intros _ _. specialize (A2 z eq_refl). specialize (Lz ltac:(lra)). lra.
        * destruct (xmin to_left to_right) as [y|]; [|tauto]. destruct Old as (Fy & Py & A). split; [exact Fy|]. split; [exact Py|]. intros P. destruct (A P) as (A1 & _). split; [exact A1|]. intros _ N. elim N. split; [lia | exact Q].
      + destruct (xmin to_left to_right) as [y|]; [|exfalso; lia]. destruct Old as (Fy & Py & A). split; [exact Fy|]. split; [exact Py|]. intros P. destruct (A P) as (A1 & _). split; [exact A1|]. apply Far; [exact P | lia | exact A1]. }
  cbv zeta in New. split; [exact New|]. destruct (Z.eqb_spec below_first below_negatives) as [E|E].
  - destruct (xmin to_left to_right) as [y|]; [|tauto]. destruct Old as (Fy & Py & A). split; [exact Fy|]. split; [exact Py|]. intros P. split; [now apply A | intros N; now elim N].
  - match goal with |- match ?q with _ => _ end => destruct q as [y|] end; [|tauto]. destruct New as (Fy & Py & A). split; [exact Fy|]. split; [exact Py|]. intros P. destruct (A P). auto.
Qed.

(* Of ((0, A), (A^H, 0)), the negatives of other clusters' singular values lie outside of a cluster's span, and so does 0 if it is an eigenvalue that the cluster does not reach. *)
Definition others_apart (first end_ k : nat) (g : R) : Prop := below_first <> below_nothing ->
  (forall i, (i < first \/ end_ <= i < n)%nat -> g <= Rabs (D k + lambda i)) /\ (below_first <> below_negatives -> ~ reaches first -> g <= Rabs (D k)).

(* Theorem: what the code keeps for a vector is no smaller than the norm of its part P x outside of the span of its cluster. From the literature: Davis and Kahan's theorem for one vector. *)
Theorem vector_outside (first end_ k : nat) (outside : Z -> option R) (px : nat -> R) : (first <= k < end_)%nat -> (end_ <= n)%nat ->
  (forall g, 0 < g -> apart first end_ k g -> others_apart first end_ k g -> norm r px * g <= norm r (fun i => F i k)) ->
  bound (judge_outside bits_of number_of residuals outside (apart_of first end_ k) (Z.of_nat k) (Z.of_nat k)) (norm r px).
Proof.
  intros Hk Hn davis. unfold judge_outside, update. rewrite Z.eqb_refl. assert (C := proj2 (cluster_distances first end_ k Hk Hn)). assert (B := proj2 (residuals_right k ltac:(lia))). assert (P := norm_positive r px).
  destruct (apart_of first end_ k) as [y|]; cbn [xfinite negb].
  - destruct C as (Fy & Py & Ay). destruct (Req_dec y 0) as [->|N].
    + destruct (residuals (Z.of_nat k)) as [v|]; [|exact I]. unfold OutwardSource.div_up. cbn [xdiv]. rewrite Req_bool_true by reflexivity. exact I.
    + destruct (Ay ltac:(lra)) as (A & Z). apply bound_weaker with (norm r (fun i => F i k) / y); [apply div_bound; [lra | exact B]|]. apply Rmult_le_reg_r with y; [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. apply davis; [lra | exact A|].
      intros Q. destruct (not_negative Q k ltac:(lia)) as (_ & Dk). split.
      * intros i Hi. destruct A as (A1 & A2). destruct (not_negative Q i ltac:(lia)) as (Li & _). rewrite Rabs_pos_eq by lra. destruct Hi as [Hi|Hi]; [specialize (A1 i Hi) | specialize (A2 i Hi)]; lra.
      * intros Q2 R2. rewrite Rabs_pos_eq by exact Dk. now apply Z.
  - destruct C as (-> & -> & C). repeat split; [apply generic_format_0 | apply Rle_refl|]. change (IZR 0) with 0. destruct (Req_dec (norm r px) 0) as [E|N]; [lra|]. exfalso. assert (Q := norm_positive r (fun i => F i k)).
    specialize (davis ((norm r (fun i => F i k) + 1) / norm r px) ltac:(apply Rdiv_lt_0_compat; lra) ltac:(split; intros i Hi; lia)
      ltac:(intros N1; split; [intros i Hi; lia | intros N2 N3; exfalso; destruct C as [C|[C|C]]; [now apply N1 | now apply N2 | apply N3; now split]])).
    replace (norm r px * ((norm r (fun i => F i k) + 1) / norm r px)) with (norm r (fun i => F i k) + 1) in davis by (field; exact N). lra.
Qed.

(* Balls: radii and centers. *)
Definition balls : Type := ((Z -> option R) * (Z -> option R))%type.
Definition keeps (st : balls) : Prop := forall j, (j < n)%nat -> holds (fst st (Z.of_nat j), snd st (Z.of_nat j)) (lambda j).
Definition offered (st : balls) (k : Z) (shift radius : option R) : balls := offer_ball bits_of number_of st (numbers dh) (numbers dl) (fst st) (snd st) k shift radius.

Lemma offer_keeps (st : balls) (k : nat) (shift radius : option R) : (k < n)%nat -> keeps st ->
  match shift with Some s => format64 s /\ bound radius (Rabs (lambda k - D k - s)) | None => True end -> keeps (offered st (Z.of_nat k) shift radius).
Proof.
  intros Hk Hs H. destruct st as (radii, centers). unfold offered, offer_ball. cbv zeta. cbn [fst snd]. destruct (parts_format k) as (Fk & Gk). unfold numbers. rewrite Nat2Z.id.
  set (one := xtwo_sum (Some (dh k)) shift). set (two := xtwo_sum (snd one) (Some (dl k))). set (three := xtwo_sum (fst one) (fst two)). set (total := add_up _ radius).
  destruct (negb (xlt total (radii (Z.of_nat k)))) eqn:T; [exact Hs|].
  enough (Ball : holds (total, fst three) (lambda k)).
  { intros j Hj. cbn [fst snd]. unfold update. destruct (Z.eqb_spec (Z.of_nat j) (Z.of_nat k)) as [E|E]; [replace j with k by lia; exact Ball | exact (Hs j Hj)]. }
  destruct total as [t|] eqn:Et; [|discriminate]. unfold total in Et. destruct radius as [rho|]; [|destruct (add_up (xabs (snd three)) (xabs (snd two))); discriminate].
  destruct shift as [s|]; [|unfold three, two, one in Et; cbn in Et; discriminate]. destruct H as (Fs & B). assert (T1 := two_sum_right (dh k) s Fk Fs). fold one in T1. clearbody one. destruct one as ([h1|], [l1|]); try contradiction; try (unfold three, two in Et; cbn in Et; destruct (xabs _); discriminate).
  destruct T1 as (F1 & G1 & E1 & _). assert (T2 := two_sum_right l1 (dl k) G1 Gk). cbn [fst snd] in *. fold two in T2. clearbody two. destruct two as ([h2|], [l2|]); try contradiction; try (destruct (xabs (snd three)); discriminate).
  destruct T2 as (F2 & G2 & E2 & _). assert (T3 := two_sum_right h1 h2 F1 F2). cbn [fst snd] in *. fold three in T3. clearbody three. destruct three as ([h3|], [l3|]); try contradiction; try discriminate. destruct T3 as (F3 & G3 & E3 & _). cbn [fst snd xabs] in *.
  assert (Bt : bound (Some t) (Rabs l3 + Rabs l2 + Rabs (lambda k - D k - s))).
  { rewrite <- Et. apply add_bound; [|exact B]. apply add_bound; apply bound_exact; try apply Rabs_pos; now apply generic_format_abs. }
  destruct Bt as (_ & _ & Lt). cbn [holds]. replace (lambda k - h3) with ((lambda k - D k - s) + (l3 + l2)) by (unfold D; lra). eapply Rle_trans; [apply Rabs_triang|]. assert (T3 := Rabs_triang l3 l2). lra.
Qed.

(* Rayleigh's quotient of column k is D k + t k, and the code approximates t (Rayleigh.v). *)
Variables (a : R) (t : nat -> R) (corrections correction_errors : Z -> option R).
Hypothesis a_right : format64 a /\ 0 <= a < 1 /\ near_orthogonal r n X1 X2 a.
Definition column (k i : nat) : R := sum_of_parts X1 X2 i k.
Hypothesis t_right : forall k, (k < n)%nat -> t k * dot r (column k) (column k) = dot r (column k) (fun i => F i k).
Hypothesis corrections_right : forall k, (k < n)%nat -> match corrections (Z.of_nat k) with Some c => format64 c /\ bound (correction_errors (Z.of_nat k)) (Rabs (t k - c)) | None => True end.
(* From the literature: the theorem of Kato and Temple. q bounds the norm of (A - D k - t k) x over that of x. *)
Hypothesis temple : forall k g q, (k < n)%nat -> 0 < g -> 0 <= q -> (forall i, (i < k)%nat -> lambda i <= D k + t k - g) -> (forall i, (k < i < n)%nat -> D k + t k + g <= lambda i) -> (forall e, other e -> e <= D k + t k - g) ->
  norm r (fun i => F i k - t k * column k i) <= q * norm r (column k) -> Rabs (lambda k - (D k + t k)) <= q * q / g.

Lemma column_size (k : nat) : (k < n)%nat -> sqrt (1 - a) <= norm r (column k) /\ norm r (fun i => F i k - t k * column k i) <= norm r (fun i => F i k).
Proof.
  intros Hk. destruct a_right as (_ & Ha & Near). specialize (Near (identity k)). rewrite <- (norm_squared n (identity k)), unit_norm in Near by exact Hk.
  assert (E : dot r (product n (sum_of_parts X1 X2) (identity k)) (product n (sum_of_parts X1 X2) (identity k)) = dot r (column k) (column k)) by (apply sum_equal; intros i _; now rewrite !product_unit by exact Hk).
  rewrite E in Near. split_abs Near. split; [apply sqrt_le_1_alt; lra|]. apply square_le; [apply norm_positive|]. rewrite !norm_squared.
  assert (S : dot r (fun i => F i k - t k * column k i) (fun i => F i k - t k * column k i) = dot r (fun i => F i k) (fun i => F i k) - t k * (2 * dot r (column k) (fun i => F i k) - t k * dot r (column k) (column k))).
  { unfold dot. rewrite Rmult_minus_distr_l, <- !Rmult_assoc, (Rmult_comm (t k * 2)), (Rmult_comm (t k * t k)), <- !sum_scaled, <- !sum_minus. apply sum_equal. intros. ring. }
  rewrite S, <- t_right by exact Hk. assert (P := dot_positive r (column k)). assert (0 <= t k * t k * dot r (column k) (column k)) by (apply Rmult_le_pos; [exact (Rle_0_sqr (t k)) | exact P]). lra.
Qed.

(* Theorem: balls that hold the eigenvalues do so after the bounds of Weyl and of Kato and Temple were offered, the latter if the eigenvalue is a cluster by itself. *)
Theorem judge_keeps (first end_ k : nat) (st : balls) : (first <= k < end_)%nat -> (end_ <= n)%nat -> keeps st ->
  keeps (judge_weyl bits_of number_of balls st offered (Some w) (Z.of_nat k)) /\
  keeps (judge_temple bits_of number_of balls st offered residuals corrections correction_errors (Some a) (distance_of first end_ k) at_zero (Z.of_nat first) (Z.of_nat end_) (Z.of_nat k)).
Proof.
  intros Hk Hn Hs. destruct w_right as (Fw & Pw & Hw). destruct a_right as (Fa & Ha & Near). split.
  - unfold judge_weyl. apply offer_keeps; [lia | exact Hs|]. split; [apply generic_format_0|]. apply bound_weaker with w; [now apply bound_exact|]. change (IZR 0) with 0. rewrite Rminus_0_r. apply Hw. lia.
  - unfold judge_temple. cbv zeta. destruct (Z.gtb_spec (Z.of_nat end_) (Z.of_nat first + 1)) as [E|E]; cbn [orb]; [exact Hs|]. destruct ((Z.of_nat first =? 0)%Z && at_zero)%bool eqn:Reach; [exact Hs|].
    assert (Apart : ~ reaches first).
    { intros (Q & P). unfold positive in P. apply orb_false_elim in P as (P & _). apply negb_false_iff in P. rewrite Q, P in Reach. discriminate. }
    assert (k = first) by lia. assert (end_ = S first) by lia. subst first end_. clear Reach. assert (C := proj1 (cluster_distances k (S k) k Hk Hn)). assert (Kn : (k < n)%nat) by lia. assert (Cr := corrections_right k Kn).
    destruct (column_size k Kn) as (Sx & Sf). set (x := column k) in *. set (f := norm r (fun i => F i k)) in *. assert (Pf : 0 <= f) by apply norm_positive. assert (Bf := proj2 (residuals_right k Kn)). fold f in Bf.
    assert (Root : 0 < sqrt (1 - a)) by (apply sqrt_lt_R0; lra). set (q := f / sqrt (1 - a)). assert (Pq : 0 <= q) by (apply Rmult_le_pos; [exact Pf | left; now apply Rinv_0_lt_compat]).
    assert (Small : norm r (fun i => F i k - t k * x i) <= q * norm r x).
    { eapply Rle_trans; [exact Sf|]. apply Rle_trans with (q * sqrt (1 - a)); [right; unfold q; field; lra | now apply Rmult_le_compat_l]. }
    destruct (distance_of k (S k) k) as [g|]; cbn [xfinite negb].
    + destruct C as (Fg & Pg & Ag). set (rest := below (xsub (Some g) (add_up (xabs (corrections (Z.of_nat k))) (correction_errors (Z.of_nat k))))). destruct (corrections (Z.of_nat k)) as [c|] eqn:Ec.
      2: { destruct (xlt (Some (IZR 0)) rest); [apply offer_keeps; [exact Kn | exact Hs | exact I] | exact Hs]. }
      destruct Cr as (Fc & Be). cbn [xabs] in rest. destruct (correction_errors (Z.of_nat k)) as [e|] eqn:Ee.
      2: { destruct (xlt (Some (IZR 0)) rest); [apply offer_keeps; [exact Kn | exact Hs | split; [exact Fc | exact I]] | exact Hs]. }
      assert (Lg : lower (Some g) g) by (exists g; repeat split; auto; lra). assert (Pe : 0 <= e) by (destruct Be as (_ & P & _); exact P). assert (Fe : format64 e) by (destruct Be as (P & _); exact P).
      assert (Ba : bound (add_up (Some (Rabs c)) (Some e)) (Rabs c + e)) by (apply add_bound; apply bound_exact; auto; [now apply generic_format_abs | apply Rabs_pos]).
      destruct (lower_minus _ _ _ _ Lg Ba) as (y & Ey & Fy & Py & Ly). fold rest in Ey. rewrite Ey. cbn [xlt]. change (IZR 0) with 0. destruct (Rlt_bool_spec 0 y) as [Y|Y]; [|exact Hs].
      specialize (Ly Y). assert (Pc := Rabs_pos c). destruct (Ag ltac:(lra)) as ((A1 & A2) & A3). assert (Te : Rabs (t k - c) <= e) by (destruct Be as (_ & _ & L); exact L).
      assert (Tk : Rabs (t k) <= Rabs c + e) by (replace (t k) with (c + (t k - c)) by ring; eapply Rle_trans; [apply Rabs_triang | lra]). split_abs Tk.
      assert (T := temple k y q Kn Y Pq ltac:(intros i Hi; specialize (A1 i Hi); lra) ltac:(intros i Hi; specialize (A2 i ltac:(lia)); lra)
        ltac:(intros v Hv; destruct (others_below v Hv) as (Q & V); specialize (A3 Q Apart); lra) Small).
      apply offer_keeps; auto. split; [exact Fc|].
      assert (Bq := divided (residuals (Z.of_nat k)) _ f (sqrt (1 - a)) Pf Bf (sqrt_down_lower _ _ (one_minus_lower a Fa ltac:(lra)))). set (size := div_up (residuals (Z.of_nat k)) _) in *.
      assert (Bs : bound size q) by (destruct size as [v|]; [|exact I]; destruct Bq as (F1 & P1 & _ & L1); repeat split; auto). apply bound_weaker with (e + q * q / y).
      * apply add_bound; [now apply bound_exact|]. apply div_bound; [exact Y|]. now apply mul_bound.
      * replace (lambda k - D k - c) with ((lambda k - (D k + t k)) + (t k - c)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
    + destruct C as (Ek & En & None_below). assert (Alone : forall v, ~ other v) by (intros v Hv; destruct (others_below v Hv) as (Q & _); destruct None_below as [Q2|Q2]; [now apply Q | apply Apart; now split]).
      destruct (corrections (Z.of_nat k)) as [c|]; apply offer_keeps; auto. destruct Cr as (Fc & Be). split; [exact Fc|]. apply (bound_weaker _ _ _ Be).
      assert (Z : forall g, 0 < g -> Rabs (lambda k - (D k + t k)) <= q * q / g) by (intros g Pg; apply temple; auto; [intros i Hi; lia | intros i Hi; lia | intros v Hv; now elim (Alone v)]).
      assert (Eq : lambda k - (D k + t k) = 0).
      { destruct (Req_dec (lambda k - (D k + t k)) 0) as [Q|Q]; [exact Q|]. exfalso. apply Rabs_pos_lt in Q. set (v := Rabs (lambda k - (D k + t k))) in *. assert (Pqq : 0 <= q * q) by now apply Rmult_le_pos.
        specialize (Z ((q * q + 1) / v) ltac:(apply Rdiv_lt_0_compat; lra)). replace (q * q / ((q * q + 1) / v)) with (v * (q * q / (q * q + 1))) in Z by (field; split; lra).
        assert (q * q / (q * q + 1) < 1) by (apply Rmult_lt_reg_r with (q * q + 1); [lra|]; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra). nra. }
      right. f_equal. lra.
Qed.

(* Theorem: balls still hold the eigenvalues after a center is moved up to the one before, and then the centers ascend. *)
Theorem ascending_keeps (st : balls) (k : nat) : (0 < k < n)%nat -> keeps st -> (forall j, match snd st j with Some c => format64 c | None => True end) ->
  (forall j, match fst st j with Some c => format64 c /\ 0 <= c | None => True end) ->
  let st' := ascending_ball bits_of number_of (fst st) (snd st) (Z.of_nat k) in
  keeps st' /\ match snd st' (Z.of_nat k - 1)%Z, snd st' (Z.of_nat k) with Some p, Some c => p <= c | _, _ => True end.
Proof.
  intros Hk Hs Fc Fr. destruct st as (radii, centers). unfold ascending_ball. cbv zeta. cbn [fst snd] in *. assert (Hold := Hs k ltac:(lia)). cbn [fst snd] in Hold. set (K := Z.of_nat k) in *.
  assert (Moved : forall rho, holds (rho, centers (K - 1)%Z) (lambda k) -> keeps (update radii K rho, update centers K (centers (K - 1)%Z)) /\
    match update centers K (centers (K - 1)%Z) (K - 1)%Z, update centers K (centers (K - 1)%Z) K with Some p, Some c => p <= c | _, _ => True end).
  { intros rho H. split.
    - intros j Hj. cbn [fst snd]. unfold update. destruct (Z.eqb_spec (Z.of_nat j) K) as [E|E]; [replace j with k by (unfold K in E; lia); exact H | exact (Hs j Hj)].
    - unfold update. rewrite Z.eqb_refl. destruct (Z.eqb_spec (K - 1) K); [lia|]. destruct (centers (K - 1)%Z); [lra | exact I]. }
  destruct (centers (K - 1)%Z) as [p|] eqn:Ep.
  2: { cbn [xsub xtwo xlt fst snd]. apply (Moved _). unfold holds. now destruct (add_up _ _). }
  destruct (centers K) as [c|] eqn:Ec.
  2: { cbn [xsub xtwo xlt fst snd]. apply (Moved _). unfold OutwardSource.above. cbn [xfinite]. unfold OutwardSource.add_up, xadd, xtwo. destruct (radii K); exact I. }
  assert (Fp := Fc (K - 1)%Z). rewrite Ep in Fp. assert (Fk := Fc K). rewrite Ec in Fk. unfold xsub, xtwo. destruct (fits (rd64 (p - c))) as [x|] eqn:Ex.
  - cbn [xlt]. change (IZR 0) with 0. assert (Ex' := Ex). apply fits_some in Ex' as (E & _). destruct (Rlt_bool_spec 0 x) as [P|P].
    + assert (Q : 0 <= p - c). { destruct (Rle_or_lt 0 (p - c)) as [Q|Q]; [exact Q|]. exfalso. assert (T : rd64 (p - c) <= rd64 0) by (apply rnd64_le; lra). rewrite (rnd64_exact 0 (generic_format_0 _ _) : rd64 0 = 0) in T. lra. }
      cbn [fst snd]. apply (Moved _). assert (A := above_bound bits_of bits_right (p - c) Q). rewrite Ex in A. destruct (radii K) as [rho|] eqn:Er; [|exact I]. assert (Fk' := Fr K). rewrite Er in Fk'.
      assert (B := add_bound (Some rho) _ rho (p - c) (bound_exact rho (proj1 Fk') (proj2 Fk')) A). destruct (add_up (Some rho) _) as [grown|]; [|exact I]. destruct B as (_ & _ & Lt). cbn [holds] in *.
      replace (lambda k - p) with ((lambda k - c) + - (p - c)) by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, (Rabs_pos_eq (p - c)) by exact Q. lra.
    + cbn [fst snd]. split; [exact Hs|]. rewrite Ep, Ec. assert (B := rnd64_sum p (- c) Fp (format64_opp _ Fk)). change (rnd64 (p + - c)) with (rd64 (p - c)) in B. rewrite <- E in B.
      destruct (Rle_or_lt p c) as [Q|Q]; [exact Q|]. rewrite (Rabs_pos_eq (p + - c)) in B by lra. split_abs B. unfold u64 in *. lra.
  - cbn [xlt fst snd]. apply (Moved _). unfold OutwardSource.above. cbn [xfinite]. unfold OutwardSource.add_up, xadd, xtwo. destruct (radii K); exact I.
Qed.
End Bounds.
