(* Dot2 of floats: plain sums in doubles of exact products, in DOT's tree and in GEMM's chain. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core Relative.
From Proofs Require Import Semantics Facts Floats Dot2Source Dot2 Dot2Bound TreeSource Tree.

Open Scope R_scope.

Notation format32 := (generic_format radix2 (FLT_exp (-149) 24)).
Notation rnd32 := (round radix2 (FLT_exp (-149) 24) ZnearestE).
Notation u32 := (/ 16777216).

Lemma product_exact (x y : R) : format32 x -> format32 y -> format64 (x * y).
Proof.
  intros Fx Fy. apply FLT_format_generic in Fx; [|reflexivity]. apply FLT_format_generic in Fy; [|reflexivity]. destruct Fx as [(m, e) -> Hm He], Fy as [(n, f) -> Hn Hf]. cbn [Fnum Fexp] in *.
  apply generic_format_FLT. exists (Float radix2 (m * n) (e + f)); [unfold F2R; cbn [Fnum Fexp]; rewrite mult_IZR, bpow_plus; ring | | cbn [Fexp]; lia].
  cbn [Fnum]. change (Zpower radix2 24) with 16777216%Z in *. change (Zpower radix2 53) with 9007199254740992%Z. rewrite Z.abs_mul. nia.
Qed.

Lemma rnd32_error (x : R) : Rabs (rnd32 x - x) <= u32 * Rabs x + bpow radix2 (-150).
Proof.
  destruct (error_N_FLT radix2 (-149) 24 eq_refl (fun x => negb (Z.even x)) x) as (eps & eta & He & Ht & _ & E). rewrite E. replace (x * (1 + eps) + eta - x) with (eps * x + eta) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply Rabs_pos|]. replace u32 with (/ 2 * bpow radix2 (- (24) + 1)) by (simpl; lra). exact He.
  - replace (bpow radix2 (-150)) with (/ 2 * bpow radix2 (-149)); [exact Ht|]. change (/ 2) with (bpow radix2 (-1)). rewrite <- bpow_plus. reflexivity.
Qed.

(* The sum s of terms after h roundings in a row. *)
Definition rounded (h : nat) (pair : R * R) (terms : list (R * R)) : Prop := format64 (fst pair) /\ snd pair = 0 /\
  Rabs (fst pair - exact_sum terms) <= (w ^ h - 1) * sum_of_magnitudes terms /\ Rabs (exact_sum terms) <= sum_of_magnitudes terms.

Lemma magnitudes_good (terms : list (R * R)) : 0 <= sum_of_magnitudes terms.
Proof. assert (P := magnitudes_positive (terms :: nil)). change (0 <= 0 + sum_of_magnitudes terms) in P. lra. Qed.

Lemma magnitudes_app (l r : list (R * R)) : sum_of_magnitudes (r ++ l) = sum_of_magnitudes l + sum_of_magnitudes r.
Proof. induction r as [|t r IH]; simpl; [unfold sum_of_magnitudes; simpl; ring|]. unfold sum_of_magnitudes in *. simpl. rewrite IH. ring. Qed.

Lemma more_roundings (h k : nat) (pair : R * R) (terms : list (R * R)) : (h <= k)%nat -> rounded h pair terms -> rounded k pair terms.
Proof.
  intros H (F & C & E & M). repeat split; auto. eapply Rle_trans; [exact E|]. apply Rmult_le_compat_r; [apply magnitudes_good|]. assert (P := power_monotone h k H). lra.
Qed.

Lemma sum_step (h : nat) (s r a t q b : R) : format64 s -> format64 t -> Rabs (s - r) <= (w ^ h - 1) * a -> Rabs r <= a -> Rabs (t - q) <= (w ^ h - 1) * b -> Rabs q <= b ->
  Rabs (rd64 (s + t) - (r + q)) <= (w ^ S h - 1) * (a + b).
Proof.
  intros Fs Ft Hs Hr Ht Hq. assert (B := rnd64_sum s t Fs Ft). change (rnd64 (s + t)) with (rd64 (s + t)) in B. set (z := rd64 (s + t)) in *. cbn [pow]. set (p := w ^ h) in *.
  assert (P : 1 <= p) by apply power_above. assert (Sb : Rabs (s + t) <= p * (a + b)).
  { replace (s + t) with ((s - r) + r + ((t - q) + q)) by ring. assert (T1 := Rabs_triang (s - r + r) (t - q + q)). assert (T2 := Rabs_triang (s - r) r). assert (T3 := Rabs_triang (t - q) q). lra. }
  replace (z - (r + q)) with ((z - (s + t)) + (s - r) + (t - q)) by ring. assert (T1 := Rabs_triang (z - (s + t) + (s - r)) (t - q)). assert (T2 := Rabs_triang (z - (s + t)) (s - r)).
  assert (U : u64 * Rabs (s + t) <= u64 * (p * (a + b))) by (apply Rmult_le_compat_l; [unfold u64; lra | exact Sb]). lra.
Qed.

Lemma step_rounded (h : nat) (s c x y : R) (terms : list (R * R)) : format32 x -> format32 y -> rounded h (s, c) terms -> rounded (S h) (float_step_source s c x y) ((x, y) :: terms).
Proof.
  intros Fx Fy (F & C & E & M). cbn [fst snd] in *. unfold float_step_source. cbv zeta iota. rewrite (rnd64_exact _ (product_exact x y Fx Fy) : rd64 (x * y) = x * y). split; [apply rnd64_format|]. split; [exact C|]. cbn [fst].
  change (exact_sum ((x, y) :: terms)) with (exact_sum terms + x * y). change (sum_of_magnitudes ((x, y) :: terms)) with (sum_of_magnitudes terms + Rabs (x * y)). split.
  - apply sum_step; auto; [now apply product_exact | rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; apply Rmult_le_pos; [assert (P := power_above h); lra | apply Rabs_pos] | apply Rle_refl].
  - eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma first_rounded (x y : R) : format32 x -> format32 y -> rounded 0 (float_step_source 0 0 x y) ((x, y) :: nil).
Proof.
  intros Fx Fy. unfold float_step_source. cbv zeta iota. assert (P := product_exact x y Fx Fy). rewrite (rnd64_exact _ P : rd64 (x * y) = x * y), Rplus_0_l, (rnd64_exact _ P : rd64 (x * y) = x * y). split; [exact P|]. split; [reflexivity|].
  unfold exact_sum, sum_of_magnitudes. cbn [fst fold_right snd pow]. rewrite !Rplus_0_l, Rminus_diag_eq, Rabs_R0 by reflexivity. split; lra.
Qed.

Lemma combine_rounded (h : nat) (p q : R * R) (a b : list (R * R)) : rounded h p a -> rounded h q b -> rounded (S h) (float_combine_source (fst p) (snd p) (fst q) (snd q)) (b ++ a).
Proof.
  intros (F1 & C1 & E1 & M1) (F2 & C2 & E2 & M2). unfold float_combine_source. cbv zeta iota. split; [apply rnd64_format|]. split; [reflexivity|]. cbn [fst]. rewrite exact_sum_app, magnitudes_app. split.
  - now apply sum_step.
  - eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

Lemma nothing_rounded (h : nat) : rounded h (0, 0) nil.
Proof.
  split; [apply generic_format_0|]. split; [reflexivity|]. unfold exact_sum, sum_of_magnitudes. cbn [fst fold_right]. rewrite Rminus_0_r, Rabs_R0, Rmult_0_r. split; lra.
Qed.

(* The bound of lib/numerics/bounds.hpp for the float nearest to s. *)
Definition float_within (depth : R) (n : Z) (s r magnitudes : R) : Prop :=
  let '(relative, componentwise, absolute) := dot2_bound depth n unit_roundoff_float in Rabs (rnd32 s - r) <= relative * Rabs r + componentwise * magnitudes + absolute.

Lemma float_promised (h : nat) (n : Z) (s : R) (r a : R) : INR (S h) <= 16777216 -> 0 <= a -> Rabs (s - r) <= (w ^ h - 1) * a -> float_within (INR (S h)) n s r a.
Proof.
  intros Hh Ha B. unfold float_within, dot2_bound. assert (Eu : unit_roundoff_float = u32) by (unfold unit_roundoff_float; lra). rewrite Eu.
  rewrite Req_bool_false by (unfold unit_roundoff_double; lra). assert (G := gamma_bound_above (S h) ltac:(lia) ltac:(lra)). set (g := gamma_bound _ _) in *.
  assert (P := power_above h). assert (N := pos_INR h). rewrite S_INR in *. assert (U : INR h * u64 <= / 536870912) by (unfold u64; lra). assert (W := power_gamma h ltac:(lra)).
  (* (1 + 2^-24) ((1 + u)^h - 1) <= gamma *)
  assert (Up : (1 + u32) * (w ^ h - 1) <= g).
  { eapply Rle_trans; [|exact G]. unfold gamma. rewrite S_INR. set (x := INR h * u64) in *. assert (X : 0 <= x) by (unfold x; apply Rmult_le_pos; [exact N | unfold u64; lra]).
    replace ((INR h + 1) * u64) with (x + u64) by (unfold x; ring). apply Rmult_le_reg_r with (1 - (x + u64)); [unfold u64; lra|].
    replace ((x + u64) / (1 - (x + u64)) * (1 - (x + u64))) with (x + u64) by (field; unfold u64; lra).
    assert (Y : (w ^ h - 1) * (1 - x) <= x) by (rewrite Rmult_minus_distr_r; lra).
    assert (Z : (w ^ h - 1) * (1 - (x + u64)) <= x) by (eapply Rle_trans; [|exact Y]; apply Rmult_le_compat_l; [lra | unfold u64; lra]).
    assert (Q : u32 * x <= u64) by (unfold x; replace (u32 * (INR h * u64)) with (INR h * u32 * u64) by ring; rewrite <- (Rmult_1_l u64) at 2; apply Rmult_le_compat_r; [unfold u64; lra | lra]).
    replace ((1 + u32) * (w ^ h - 1) * (1 - (x + u64))) with ((1 + u32) * ((w ^ h - 1) * (1 - (x + u64)))) by ring. apply Rle_trans with ((1 + u32) * x); [apply Rmult_le_compat_l; lra | lra]. }
  assert (E := rnd32_error s). assert (T : Rabs s <= Rabs (s - r) + Rabs r) by (replace s with ((s - r) + r) at 1 by ring; apply Rabs_triang).
  assert (D : Rabs (rnd32 s - r) <= Rabs (rnd32 s - s) + Rabs (s - r)) by (replace (rnd32 s - r) with ((rnd32 s - s) + (s - r)) by ring; apply Rabs_triang).
  assert (Z : (1 + u32) * (w ^ h - 1) * a <= g * a) by now apply Rmult_le_compat_r. assert (Q : (1 + u32) * Rabs (s - r) <= (1 + u32) * ((w ^ h - 1) * a)) by (apply Rmult_le_compat_l; lra).
  rewrite Rmult_1_l. lra.
Qed.

(* GEMM's chain. *)
Definition float_block (terms : list (R * R)) : R * R := fold_left (fun pair t => float_step_source (fst pair) (snd pair) (fst t) (snd t)) terms (0, 0).
Definition float_chain (blocks : list (list (R * R))) : R * R :=
  fold_left (fun p q => float_combine_source (fst p) (snd p) (fst q) (snd q)) (map float_block blocks) (0, 0).
Definition formats32 (terms : list (R * R)) : Prop := Forall (fun t => format32 (fst t) /\ format32 (snd t)) terms.

Lemma block_rounded (terms : list (R * R)) : formats32 terms -> rounded (length terms - 1) (float_block terms) (rev terms).
Proof.
  intros F. unfold float_block. assert (G : forall rest h pair done, formats32 rest -> (length done <> 0)%nat -> rounded h pair done ->
    rounded (h + length rest) (fold_left (fun pair t => float_step_source (fst pair) (snd pair) (fst t) (snd t)) rest pair) (rev rest ++ done)).
  { induction rest as [|t rest IH]; intros h pair done Fr D R; [rewrite Nat.add_0_r; exact R|]. inversion_clear Fr as [|? ? (Fx & Fy) Fr']. cbn [fold_left length rev]. rewrite <- app_assoc. cbn [app].
    replace (h + S (length rest))%nat with (S h + length rest)%nat by lia. apply IH; [exact Fr' | discriminate|]. destruct pair as (s, c), t as (x1, y1). now apply step_rounded. }
  destruct terms as [|(x, y) terms]; [apply nothing_rounded|]. inversion_clear F as [|? ? (Fx & Fy) F']. cbn [fold_left length rev fst snd]. replace (S (length terms) - 1)%nat with (0 + length terms)%nat by lia.
  apply G; [exact F' | discriminate | now apply first_rounded].
Qed.

Lemma sums_rev (terms : list (R * R)) : exact_sum (rev terms) = exact_sum terms /\ sum_of_magnitudes (rev terms) = sum_of_magnitudes terms.
Proof.
  induction terms as [|t terms (I1 & I2)]; [split; reflexivity|]. cbn [rev]. rewrite exact_sum_app, magnitudes_app, I1, I2. unfold exact_sum, sum_of_magnitudes. cbn [fold_right]. split; ring.
Qed.

Lemma chain_rounded (blocks : list (list (R * R))) (k : nat) : Forall formats32 blocks -> Forall (fun b => (1 <= length b <= k)%nat) blocks -> forall m pair done, rounded (k - 1 + m) pair done ->
  rounded (k - 1 + (m + length blocks)) (fold_left (fun p q => float_combine_source (fst p) (snd p) (fst q) (snd q)) (map float_block blocks) pair) (concat (rev (map (@rev (R * R)) blocks)) ++ done).
Proof.
  induction blocks as [|b blocks IH]; intros F L m pair done H; [rewrite Nat.add_0_r; exact H|]. inversion_clear F as [|? ? Fb F']. inversion_clear L as [|? ? Lb L'].
  cbn [map fold_left length rev]. rewrite concat_app, <- app_assoc. cbn [concat]. rewrite app_nil_r. replace (k - 1 + (m + S (length blocks)))%nat with (k - 1 + (S m + length blocks))%nat by lia.
  apply IH; auto. replace (k - 1 + S m)%nat with (S (k - 1 + m)) by lia. apply combine_rounded; [exact H|]. apply (more_roundings (length b - 1)); [lia | now apply block_rounded].
Qed.

Definition float_after (m : nat) (pair : R * R) (terms : list (R * R)) : Prop := rounded (31 + m) pair terms.
Definition float_inside (pair : R * R) (terms : list (R * R)) : Prop := match terms with nil => pair = (0, 0) | _ => rounded (length terms - 1) pair terms end.

(* Theorem: the bounds of DOT for up to 2^40 floats, and of GEMV and GEMM for sums of up to 2^30 terms. *)
Theorem dot2_float_bounds :
  (forall (x y : Z -> R) (n : Z), (forall i, format32 (x i) /\ format32 (y i)) -> (1 <= n <= 2 ^ 40)%Z ->
    let terms := all_terms x y (Z.to_nat n) in
    let pair := tree_end (fun p q => float_combine_source (fst p) (snd p) (fst q) (snd q)) 0 n
      (tree_of (fun pair _ i => float_step_source (fst pair) (snd pair) (x i) (y i)) (fun p q => float_combine_source (fst p) (snd p) (fst q) (snd q)) n 64) in
    float_within (IZR (dot2_depth_dot n)) n (fst pair) (exact_sum terms) (sum_of_magnitudes terms)) /\
  (forall blocks : list (list (R * R)), Forall formats32 blocks -> let k := Z.of_nat (length (concat blocks)) in
    (1 <= k <= 1073741824)%Z -> Z.of_nat (length blocks) = ceil_div k dot2_block -> Forall (fun b => (1 <= length b)%nat /\ (Z.of_nat (length b) <= dot2_block)%Z) blocks ->
    float_within (dot2_depth_gemm k) k (fst (float_chain blocks)) (exact_sums blocks) (sums_of_magnitudes blocks)).
Proof.
  split.
  - intros x y n F Hn terms pair. set (combine := fun p q => float_combine_source (fst p) (snd p) (fst q) (snd q)) in pair. set (step := fun pair _ i => float_step_source (fst pair) (snd pair) (x i) (y i)) in pair.
    destruct (end_holds x y step combine float_inside float_after ltac:(reflexivity)) with (n := n) as (all & H & Same).
    + intros p ts sum i Hp. destruct (F i) as (Fx & Fy). unfold step, float_inside in *. destruct ts as [|t ts]; [rewrite Hp; now apply first_rounded|]. destruct p as (s, c).
      cbn [length fst snd] in *. replace (S (S (length ts)) - 1)%nat with (S (S (length ts) - 1)) by lia. now apply step_rounded.
    + intros p ts Hp L. unfold float_after, float_inside in *. destruct ts as [|t ts]; [rewrite Hp; apply nothing_rounded|]. apply (more_roundings (length (t :: ts) - 1)); [lia | exact Hp].
    + intros m p q a b P Q. unfold float_after in *. rewrite Nat.add_succ_r. now apply combine_rounded.
    + intros m m' p ts Hm P. unfold float_after in *. now apply (more_roundings (31 + m)); [lia|].
    + exact Hn.
    + fold pair in H. unfold float_after in H. destruct H as (_ & _ & E & _).
      rewrite (Same exact_sum (fun t => fst t * snd t)), (Same sum_of_magnitudes (fun t => Rabs (fst t * snd t))) in E; try reflexivity; try (intros; apply exact_sum_app); try (intros; apply magnitudes_app).
      rewrite (depth_value n Hn). set (m := (Z.to_nat _ + 5)%nat) in *. rewrite <- INR_IZR_INZ. change (32 + m)%nat with (S (31 + m)).
      apply float_promised; [|apply magnitudes_good | exact E]. rewrite INR_IZR_INZ. apply IZR_le. assert (M : (m <= 36)%nat); [|lia].
      unfold m. change (2 ^ 40)%Z with 1099511627776%Z in Hn. assert (Hb : (ceil_div n dot2_dot_block <= 2 ^ 31)%Z) by (change (2 ^ 31)%Z with 2147483648%Z; unfold ceil_div, dot2_dot_block; rewrite Z.quot_div_nonneg by lia; apply Z.div_le_upper_bound; lia).
      apply Z.log2_up_le_mono in Hb. rewrite Z.log2_up_pow2 in Hb by lia. lia.
  - intros blocks F k Hk N L. set (m := Z.to_nat (if (k <? dot2_block)%Z then k else dot2_block)).
    assert (Eb : dot2_block = 128%Z) by reflexivity. assert (Hm : Z.of_nat m = if (k <? dot2_block)%Z then k else dot2_block) by (unfold m; rewrite Z2Nat.id; [reflexivity | destruct (k <? dot2_block)%Z; lia]).
    assert (L' : Forall (fun b => (1 <= length b <= m)%nat) blocks).
    { assert (Q : forall b, In b blocks -> (length b <= length (concat blocks))%nat).
      { clear. induction blocks as [|a blocks IH]; [intros b []|]. intros b [->|I]; cbn [concat]; rewrite app_length; [lia | specialize (IH b I); lia]. }
      rewrite Forall_forall in *. intros b Hi. destruct (L b Hi) as (L1 & L2). specialize (Q b Hi). split; [exact L1|]. apply Nat2Z.inj_le. rewrite Hm. unfold k in *. destruct (Z.ltb_spec (Z.of_nat (length (concat blocks))) dot2_block); lia. }
    assert (H1 : (1 <= m)%nat) by (apply Nat2Z.inj_le; rewrite Hm; destruct (Z.ltb_spec k dot2_block); lia).
    assert (Nk : (0 <= Z.of_nat (length blocks) <= 8388609)%Z) by (rewrite N, Eb; unfold ceil_div; rewrite Z.quot_div_nonneg by lia; split; [apply Z.div_pos; lia | apply Z.div_le_upper_bound; lia]).
    assert (Mb : (Z.of_nat m <= 128)%Z) by (rewrite Hm; destruct (Z.ltb_spec k dot2_block); lia).
    assert (D : dot2_depth_gemm k = INR (S (m - 1 + length blocks))).
    { unfold dot2_depth_gemm. rewrite <- Hm, <- N. rewrite (integer_exact (Z.of_nat m)), (integer_exact (Z.of_nat (length blocks))) by lia.
      rewrite <- plus_IZR, integer_exact by lia. rewrite INR_IZR_INZ. f_equal. lia. }
    rewrite D. assert (H := chain_rounded blocks m F L' 0 (0, 0) nil (nothing_rounded _)). rewrite Nat.add_0_l, app_nil_r in H. fold (float_chain blocks) in H. destruct H as (_ & _ & E & _).
    assert (Sums : exact_sum (concat (rev (map (@rev (R * R)) blocks))) = exact_sums blocks /\ sum_of_magnitudes (concat (rev (map (@rev (R * R)) blocks))) = sums_of_magnitudes blocks).
    { clear. induction blocks as [|b blocks (I1 & I2)]; [split; reflexivity|]. cbn [map rev]. rewrite concat_app. cbn [concat]. rewrite app_nil_r, exact_sum_app, magnitudes_app, I1, I2.
      destruct (sums_rev b) as (-> & ->). unfold exact_sums, sums_of_magnitudes. cbn [fold_right]. split; ring. }
    destruct Sums as (S1 & S2). rewrite S1, S2 in E. apply float_promised; [rewrite INR_IZR_INZ; apply IZR_le; lia | apply magnitudes_positive | exact E].
Qed.
