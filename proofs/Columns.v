(* Upper bounds of Euclidean norms (lib/certified/columns.hpp and columns.cpp). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource Outward Linear CertifiedSource Certified Ball Euclid ColumnsSource.

Open Scope R_scope.

(* A number of an array, if it is finite. *)
Definition stored (a : option R) : Prop := match a with Some x => format64 x /\ Rabs x < pow 1024 | None => True end.
Definition value (a : option R) : R := match a with Some x => x | None => 0 end.

Lemma tiny_rounds (z : R) : Rabs z <= pow (-1076) -> rnd64 z = 0.
Proof.
  intros H. destruct (Req_dec (rnd64 z) 0) as [E|N]; [exact E|]. exfalso. assert (B := rnd64_below (-1021) z ltac:(lia) ltac:(eapply Rle_lt_trans; [exact H | apply bpow_lt; lia])).
  rewrite u64_bpow, <- bpow_plus in B. change (-53 + (-1021 - 1))%Z with (-1075)%Z in B.
  assert (L : pow (-1074) <= Rabs (rnd64 z)) by (apply (generic_format_ge_bpow radix2 fexp64); [intros; unfold FLT_exp; lia | now apply Rabs_pos_lt | apply generic_format_abs, rnd64_format]).
  assert (T : Rabs (rnd64 z) <= Rabs z + Rabs (rnd64 z - z)) by (replace (rnd64 z) with (z + (rnd64 z - z)) at 1 by ring; apply Rabs_triang).
  assert (E : pow (-1074) = 2 * pow (-1075)) by (change 2 with (pow 1); rewrite <- bpow_plus; reflexivity). assert (E2 : pow (-1075) = 2 * pow (-1076)) by (change 2 with (pow 1); rewrite <- bpow_plus; reflexivity).
  assert (P := bpow_gt_0 radix2 (-1076)). lra.
Qed.

Section Norms.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.
Variable exponent_of : option R -> Z.
Hypothesis exponent_right : forall x, 0 < x -> x < pow (exponent_of (Some x)) /\ pow (exponent_of (Some x) - 1) <= x.

Notation sqrt_up := (sqrt_up bits_of number_of).
Notation sqrt_down := (sqrt_down bits_of number_of).
Notation sum_up := (sum_up bits_of number_of).
Notation scale_up := (scale_up bits_of number_of).
Notation norm_up := (norm_up bits_of number_of exponent_of).

Lemma sqrt_up_bound (a : option R) (x : R) : 0 <= x -> bound a x -> bound (sqrt_up a) (sqrt x).
Proof.
  intros Hx. destruct a as [v|]; [|intros _; exact I]. intros (Fv & Pv & Lv). unfold ColumnsSource.sqrt_up. cbn [xeq]. change (IZR 0) with 0. destruct (Req_bool_spec v 0) as [Z|N].
  - replace x with 0 by lra. rewrite sqrt_0. apply bound_exact; [apply generic_format_0 | apply Rle_refl].
  - cbn [xsqrt]. rewrite Rlt_bool_false by lra. apply bound_weaker with (sqrt v); [apply (above_bound bits_of bits_right), sqrt_pos | now apply sqrt_le_1].
Qed.

Lemma scale_up_bound (a : option R) (x : R) (e : Z) : 0 <= x -> bound a x -> bound (scale_up a e) (x * pow e).
Proof.
  intros Hx. destruct a as [v|]; [|intros _; exact I]. intros (Fv & Pv & Lv). apply bound_weaker with (v * pow e); [now apply scale_up_bounds | apply Rmult_le_compat_r; [apply bpow_ge_0 | exact Lv]].
Qed.

(* The largest magnitude. *)
Lemma largest_right (n : nat) (x : Z -> option R) : (forall i, (i < n)%nat -> stored (x (Z.of_nat i))) ->
  match for_up 0 (Z.of_nat n) (fun i largest => xmax largest (xabs (x i))) (Some (IZR 0)) with
  | Some l => 0 <= l < pow 1024 /\ forall i, (i < n)%nat -> exists y, x (Z.of_nat i) = Some y /\ format64 y /\ Rabs y <= l
  | None => True end.
Proof.
  intros H. set (body := fun i largest => xmax largest (xabs (x i))).
  enough (Q : match for_up 0 (Z.of_nat n) body (Some (IZR 0)) with Some l => 0 <= l < pow 1024 /\ forall i, (Z.of_nat i < Z.of_nat n)%Z -> exists y, x (Z.of_nat i) = Some y /\ format64 y /\ Rabs y <= l | None => True end).
  { destruct (for_up _ _ _ _) as [l|]; [|exact I]. destruct Q as (Q1 & Q2). split; [exact Q1 | intros i Hi; apply Q2; lia]. }
  apply (for_up_invariant (fun k s => match s with Some l => 0 <= l < pow 1024 /\ forall i, (Z.of_nat i < k)%Z -> exists y, x (Z.of_nat i) = Some y /\ format64 y /\ Rabs y <= l | None => True end)).
  - lia.
  - split; [split; [apply Rle_refl | apply bpow_gt_0] | intros; lia].
  - intros k s Hk Hs. unfold body. set (i := Z.to_nat k). assert (Ek : k = Z.of_nat i) by lia. rewrite Ek in *. specialize (H i ltac:(lia)). destruct s as [l|]; [|exact I]. destruct (x (Z.of_nat i)) as [y|] eqn:Ex; [|exact I].
    cbn [xabs xmax]. destruct Hs as ((L0 & L1) & Hs). destruct H as (Fy & Ly). split; [split; [eapply Rle_trans; [exact L0 | apply Rmax_l] | now apply Rmax_lub_lt]|].
    intros j Hj. destruct (Nat.eq_dec j i) as [->|N]; [exists y; repeat split; auto; apply Rmax_r|]. destruct (Hs j ltac:(lia)) as (z & Ez & Fz & Lz). exists z. repeat split; auto. eapply Rle_trans; [exact Lz | apply Rmax_l].
Qed.

(* The square of a scaled number. *)
Lemma scaled_square (y : R) (e : Z) : format64 y -> (-1000 <= e <= 1024)%Z -> Rabs y < pow e \/ y = 0 -> let s := rd64 (rd64 (y * pow (- Z.quot e 2)) * pow (- (e - Z.quot e 2))) in
  Rabs (rd64 (y * pow (- Z.quot e 2))) < pow 1024 /\ Rabs s < pow 1024 /\ Rabs (rd64 (s * s)) < pow 1024 /\ rd64 (s * s) = rnd64 (y * pow (- e) * (y * pow (- e))).
Proof.
  intros Fy He Hy. set (f := Z.quot e 2). set (t := rd64 (y * pow (- f))). intros s. assert (Q := Z.quot_rem' e 2). assert (Q2 : (e < 0 -> f <= 0 /\ e - f <= 0)%Z) by (unfold f; intros; assert (B := Z.rem_bound_pos_neg e 2 ltac:(lia) ltac:(lia)); lia).
  assert (Q3 : (0 <= e -> 0 <= f /\ 0 <= e - f <= 600)%Z) by (unfold f; intros; assert (B := Z.rem_bound_pos e 2 ltac:(lia) ltac:(lia)); lia). assert (Split : pow (- f) * pow (- (e - f)) = pow (- e)) by (rewrite <- bpow_plus; f_equal; lia).
  assert (Size : Rabs (y * pow (- e)) <= 1).
  { destruct Hy as [Hy| ->]; [|rewrite Rmult_0_l, Rabs_R0; lra]. rewrite Rabs_mult, (Rabs_pos_eq (pow (- e))) by apply bpow_ge_0. replace 1 with (pow e * pow (- e)) by (rewrite <- bpow_plus; replace (e + - e)%Z with 0%Z by lia; reflexivity).
    apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]. }
  assert (One : 1 < pow 1024) by (change 1 with (pow 0); apply bpow_lt; lia).
  assert (T1 : Rabs t < pow 1024).
  { apply Rle_lt_trans with (pow 1000); [|apply bpow_lt; lia]. apply abs_round_le_generic; try typeclasses eauto; [apply format64_bpow; lia|].
    replace (y * pow (- f)) with (y * pow (- e) * pow (e - f)) by (rewrite Rmult_assoc, <- bpow_plus; do 2 f_equal; lia). rewrite Rabs_mult, (Rabs_pos_eq (pow (e - f))) by apply bpow_ge_0.
    apply Rle_trans with (1 * pow (e - f)); [apply Rmult_le_compat_r; [apply bpow_ge_0 | exact Size]|]. rewrite Rmult_1_l. apply bpow_le. destruct (Z.le_gt_cases 0 e); lia. }
  assert (Exact : s = y * pow (- e) \/ (Rabs s <= pow (-1022) /\ Rabs (y * pow (- e)) <= pow (-1022))).
  { destruct (Z.le_gt_cases 0 e) as [Pe|Ne].
    - destruct (Q3 Pe) as (P1 & P2). destruct (Rle_or_lt (pow (-1022)) (Rabs y * pow (- e))) as [L|L].
      + left. assert (Et : t = y * pow (- f)).
        { apply rnd64_exact, format64_scaled; [exact Fy|]. right. eapply Rle_trans; [exact L|]. apply Rmult_le_compat_l; [apply Rabs_pos | apply bpow_le; lia]. }
        unfold s. rewrite Et, Rmult_assoc, Split. apply rnd64_exact, format64_scaled; [exact Fy | now right].
      + right. assert (S2 : Rabs (y * pow (- e)) <= pow (-1022)) by (rewrite Rabs_mult, (Rabs_pos_eq (pow (- e))) by apply bpow_ge_0; lra). split; [|exact S2].
        assert (St : Rabs t <= pow (-1022 + (e - f))).
        { apply abs_round_le_generic; try typeclasses eauto; [apply format64_bpow; lia|]. replace (y * pow (- f)) with (y * pow (- e) * pow (e - f)) by (rewrite Rmult_assoc, <- bpow_plus; do 2 f_equal; lia).
          rewrite Rabs_mult, (Rabs_pos_eq (pow (e - f))) by apply bpow_ge_0. rewrite bpow_plus. apply Rmult_le_compat_r; [apply bpow_ge_0 | exact S2]. }
        apply abs_round_le_generic; try typeclasses eauto; [apply format64_bpow; lia|]. rewrite Rabs_mult, (Rabs_pos_eq (pow (- (e - f)))) by apply bpow_ge_0.
        replace (pow (-1022)) with (pow (-1022 + (e - f)) * pow (- (e - f))) by (rewrite <- bpow_plus; f_equal; lia). apply Rmult_le_compat_r; [apply bpow_ge_0 | exact St].
    - left. destruct (Q2 Ne) as (P1 & P2). assert (Ft : format64 (y * pow (- f))) by (apply scaled_format; [exact Fy | lia]). assert (Et : t = y * pow (- f)) by now apply rnd64_exact.
      unfold s. rewrite Et, Rmult_assoc, Split. apply rnd64_exact, scaled_format; [exact Fy | lia]. }
  assert (T2 : Rabs s <= 1). { destruct Exact as [->|(E & _)]; [exact Size | eapply Rle_trans; [exact E|]; change 1 with (pow 0); apply bpow_le; lia]. }
  assert (T3 : Rabs (rd64 (s * s)) <= pow 0). { apply abs_round_le_generic; try typeclasses eauto; [apply format64_bpow; lia|]. rewrite Rabs_mult. change (pow 0) with 1. assert (P := Rabs_pos s). nra. }
  change (pow 0) with 1 in T3. split; [exact T1|]. split; [lra|]. split; [lra|]. destruct Exact as [->|(E1 & E2)]; [reflexivity|].
  assert (Sm : forall z, Rabs z <= pow (-1022) -> Rabs (z * z) <= pow (-1076)).
  { intros z Hz. rewrite Rabs_mult. apply Rle_trans with (pow (-1022) * pow (-1022)); [apply Rmult_le_compat; auto; apply Rabs_pos | rewrite <- bpow_plus; apply bpow_le; lia]. }
  unfold rd64. rewrite !tiny_rounds by now apply Sm. reflexivity.
Qed.

(* Theorem: norm_up is no smaller than the Euclidean norm, underflow included, or no number, as it is if one of the numbers is none. *)
Theorem norm_up_bounds (n : nat) (x : Z -> option R) : (Z.of_nat n <= 2 ^ 50)%Z -> (forall i, (i < n)%nat -> stored (x (Z.of_nat i))) ->
  bound (norm_up (Z.of_nat n) x) (norm n (fun i => value (x (Z.of_nat i)))) /\
  (norm_up (Z.of_nat n) x <> None -> forall i, (i < n)%nat -> exists y, x (Z.of_nat i) = Some y /\ format64 y).
Proof.
  intros Hn H. assert (L := largest_right n x H). unfold ColumnsSource.norm_up. cbv zeta. destruct (for_up 0 (Z.of_nat n) (fun i largest => xmax largest (xabs (x i))) (Some (IZR 0))) as [l|]; cbn [xfinite negb]; [|split; [exact I | congruence]].
  destruct L as (L0 & L1). split; [|intros _ i Hi; destruct (L1 i Hi) as (y & E & F & _); eauto].
  set (e := if xeq (Some l) (Some (IZR 0)) then 0%Z else Z.max (exponent_of (Some l)) (-1000)). change (IZR 0) with 0 in *.
  assert (E : (-1000 <= e <= 1024)%Z /\ (l < pow e \/ l = 0)).
  { unfold e. cbn [xeq]. destruct (Req_bool_spec l 0) as [Z|N]; [split; [lia | now right]|]. destruct (exponent_right l ltac:(lra)) as (E1 & E2).
    assert (B : (exponent_of (Some l) - 1 < 1024)%Z) by (apply (lt_bpow radix2); lra). split; [lia|]. left. eapply Rlt_le_trans; [exact E1 | apply bpow_le; lia]. }
  clearbody e. destruct E as (He & Hl). assert (Power : forall m, (-1024 <= m <= 1000)%Z -> xscale (Some (IZR 1)) m = Some (pow m)).
  { intros m Hm. cbn [xscale]. rewrite Rmult_1_l. rewrite (rnd64_exact (pow m) (format64_bpow m ltac:(lia)) : rd64 (pow m) = pow m). unfold fits. rewrite Rlt_bool_true; [reflexivity|]. rewrite Rabs_pos_eq by apply bpow_ge_0. apply bpow_lt. lia. }
  assert (Q := Z.quot_rem' e 2). assert (Qr : (- Z.abs e <= Z.quot e 2 <= Z.abs e)%Z) by (destruct (Z.le_gt_cases 0 e); [assert (B := Z.rem_bound_pos e 2 ltac:(lia) ltac:(lia)) | assert (B := Z.rem_bound_pos_neg e 2 ltac:(lia) ltac:(lia))]; lia).
  assert (Qr2 : (-512 <= Z.quot e 2 <= 512 /\ -500 <= e - Z.quot e 2 <= 513)%Z) by (destruct (Z.le_gt_cases 0 e); [assert (B := Z.rem_bound_pos e 2 ltac:(lia) ltac:(lia)) | assert (B := Z.rem_bound_pos_neg e 2 ltac:(lia) ltac:(lia))]; lia).
  rewrite !Power by lia. set (v := fun i => value (x (Z.of_nat i))). set (f := fun i => v i * pow (- e) * (v i * pow (- e))).
  set (sum := for_up 0 (Z.of_nat n) _ (Some 0)).
  assert (S : sum = None \/ exists s, sum = Some s /\ adds (map (fun j => rnd64 (f j)) (seq 0 n)) s).
  { enough (A : sum = None \/ exists s, sum = Some s /\ adds (map (fun j => rnd64 (f j)) (seq 0 (Z.to_nat (Z.of_nat n)))) s) by now rewrite Nat2Z.id in A.
    unfold sum. apply (for_up_invariant (fun k s => s = None \/ exists t, s = Some t /\ adds (map (fun j => rnd64 (f j)) (seq 0 (Z.to_nat k))) t)).
    - lia.
    - right. exists 0. split; [reflexivity | constructor].
    - intros k s Hk [->|(t & -> & A)]; [left; reflexivity|]. set (i := Z.to_nat k) in *. assert (Ek : k = Z.of_nat i) by lia. rewrite Ek in *. destruct (L1 i ltac:(lia)) as (y & Ey & Fy & Ly). rewrite Ey.
      destruct (scaled_square y e Fy He) as (T1 & T2 & T3 & T4); [destruct Hl as [Hl| ->]; [left; lra | right; assert (P := Rabs_pos y); destruct (Req_dec y 0) as [W|W]; [exact W | apply Rabs_pos_lt in W; lra]]|].
      cbn [xmul xtwo]. unfold xmul, xtwo, fits. rewrite (Rlt_bool_true _ _ T1), (Rlt_bool_true _ _ T2), (Rlt_bool_true _ _ T3), T4. unfold xadd, xtwo, fits. destruct (Rlt_bool _ _); [right | left; reflexivity].
      eexists. split; [reflexivity|]. replace (Z.to_nat (Z.of_nat i + 1)) with (S i) by lia. rewrite seq_S, map_app. cbn [map Nat.add]. assert (Ef : rnd64 (y * pow (- e) * (y * pow (- e))) = rnd64 (f i)) by (unfold f, v; now rewrite Ey). rewrite Ef.
      apply adds_two; [exact A | apply adds_one]. }
  clearbody sum. assert (B : bound (sum_up sum (Z.of_nat n)) (sum_to n f)).
  { apply (summed_bound bits_of bits_right n f); [intros j _; exact (Rle_0_sqr _) | exact Hn|]. destruct S as [->|(s & -> & A)]; [left; reflexivity | right; eexists; eexists; split; [apply Permutation_refl | split; [exact A | reflexivity]]]. }
  assert (En : norm n v = sqrt (sum_to n f) * pow e).
  { unfold norm, dot. rewrite <- (sqrt_square (pow e)) at 1 by apply bpow_ge_0. rewrite <- sqrt_mult by (try (apply sum_positive; intros; exact (Rle_0_sqr _)); exact (Rle_0_sqr _)). f_equal. rewrite <- sum_scaled. apply sum_equal. intros i _. unfold f.
    replace (v i * pow (- e) * (v i * pow (- e)) * (pow e * pow e)) with (v i * v i * (pow (- e) * pow e) * (pow (- e) * pow e)) by ring. rewrite <- bpow_plus. replace (- e + e)%Z with 0%Z by lia. change (pow 0) with 1. ring. }
  assert (F0 : 0 <= sum_to n f) by (apply sum_positive; intros; exact (Rle_0_sqr _)).
  assert (N : bound (scale_up (sqrt_up (sum_up sum (Z.of_nat n))) e) (norm n v)) by (rewrite En; apply scale_up_bound; [apply sqrt_pos | now apply sqrt_up_bound]).
  match goal with |- context [if ?c then Some 0 else _] => destruct c eqn:Z end.
  - apply andb_prop in Z as (Z & _). cbn [xeq] in Z. destruct (Req_bool_spec l 0) as [Zl|]; [|discriminate]. assert (Nz : norm n v <= 0).
    { rewrite En. right. replace (sum_to n f) with 0; [rewrite sqrt_0; ring|]. symmetry. rewrite <- (sum_zero n). apply sum_equal. intros i Hi. unfold f, v. destruct (L1 i Hi) as (y & Ey & _ & Ly). rewrite Ey. cbn [value].
      assert (y = 0) as -> by (destruct (Req_dec y 0) as [W|W]; [exact W | apply Rabs_pos_lt in W; lra]). ring. }
    repeat split; [apply generic_format_0 | lra | exact Nz].
  - destruct (scale_up _ e) as [r|]; exact N.
Qed.
End Norms.
