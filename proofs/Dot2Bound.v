(* The shipped operations of Dot2 and the bound that lib/numerics/bounds.hpp computes. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core Plus_error Mult_error.
From Proofs Require Import Semantics Floats Eft Dot2Source Dot2.

Open Scope R_scope.

(* gamma_h = h u / (1 - h u) bounds the factors that h roundings cause. *)
Definition gamma (h : nat) : R := INR h * u64 / (1 - INR h * u64).

Lemma power_gamma (h : nat) : INR h * u64 < 1 -> w ^ h * (1 - INR h * u64) <= 1.
Proof.
  assert (U := u64_positive). induction h as [|h IH]; intros H.
  - simpl. lra.
  - rewrite S_INR in *. rewrite <- tech_pow_Rmult. assert (N := pos_INR h).
    assert (H' : INR h * u64 < 1) by nra. specialize (IH H'). assert (P := power_above h).
    eapply Rle_trans; [|exact IH].
    replace (w * w ^ h * (1 - (INR h + 1) * u64)) with (w ^ h * (1 - INR h * u64 - (INR h + 1) * u64 * u64)) by ring.
    apply Rmult_le_compat_l; [lra|]. assert (0 <= (INR h + 1) * u64 * u64) by (repeat apply Rmult_le_pos; lra). lra.
Qed.

Definition sum_of_magnitudes (terms : list (R * R)) : R := fold_right (fun t r => r + Rabs (fst t * snd t)) 0 terms.
Definition sums_of_magnitudes (blocks : list (list (R * R))) : R :=
  fold_right (fun b r => r + sum_of_magnitudes b) 0 blocks.

Lemma sum_of_sizes_value (terms : list (R * R)) :
  sum_of_sizes terms = sum_of_magnitudes terms + INR (length terms) * (2 * normal64).
Proof.
  induction terms as [|t terms IH]; [simpl; ring|].
  change (sum_of_sizes (t :: terms)) with (sum_of_sizes terms + size t). cbn [length]. rewrite S_INR, IH.
  change (sum_of_magnitudes (t :: terms)) with (sum_of_magnitudes terms + Rabs (fst t * snd t)). unfold size. ring.
Qed.

Lemma sums_of_sizes_value (blocks : list (list (R * R))) :
  sums_of_sizes blocks = sums_of_magnitudes blocks + INR (length (concat blocks)) * (2 * normal64).
Proof.
  induction blocks as [|b blocks IH]; [simpl; ring|].
  change (sums_of_sizes (b :: blocks)) with (sums_of_sizes blocks + sum_of_sizes b).
  change (sums_of_magnitudes (b :: blocks)) with (sums_of_magnitudes blocks + sum_of_magnitudes b).
  cbn [concat]. rewrite app_length, plus_INR, IH, sum_of_sizes_value. ring.
Qed.

(* The bound of a pair that passes at most k steps and m combinations, k + m = h <= 2^26. *)
Lemma known_bound (k m : nat) (s c r a : R) (n : nat) : (1 <= k)%nat -> INR (k + m) <= 67108864 ->
  known k m s c r (a + INR n * (2 * normal64)) n -> 0 <= a ->
  Rabs (s + c - r) <= gamma (k + m) * gamma (k + m) * a + 2 * INR n * bpow radix2 (-1074).
Proof.
  intros Hk Hh [A _ _ _ _ B] Ha. set (h := (k + m)%nat) in *. assert (U := u64_positive). assert (N := normal64_positive).
  assert (Hn := pos_INR n). assert (Hp := pos_INR h). assert (En := eta_normal).
  assert (E : bpow radix2 (-1074) = 2 * eta) by (change 2 with (bpow radix2 1); now rewrite <- bpow_plus).
  assert (Hu : INR h * u64 <= / 134217728) by (unfold u64 in *; lra).
  set (g := INR h * u64) in *. assert (Hg : 0 <= g) by (unfold g; nra).
  assert (K : 1 <= INR k) by (change 1 with (INR 1); now apply le_INR). assert (M := pos_INR m).
  assert (C0 : 0 <= INR k * INR k / 2 + 3 * INR k / 2 - 1 + 2 * INR k * INR m + INR m * INR m) by nra.
  assert (C1 : INR k * INR k / 2 + 3 * INR k / 2 - 1 + 2 * INR k * INR m + INR m * INR m <= INR h * INR h).
  { unfold h. rewrite plus_INR. assert (D : 0 <= (INR k - 1) * (INR k - 2)).
    { destruct k as [|[|k]]; [lia| simpl; lra |]. rewrite !S_INR. assert (Q := pos_INR k). nra. }
    nra. }
  set (t := INR k * INR k / 2 + 3 * INR k / 2 - 1 + 2 * INR k * INR m + INR m * INR m) in *.
  assert (P : w ^ (k + 1 + 2 * m) <= w ^ h * w ^ h).
  { rewrite <- pow_add. apply power_monotone. unfold h. lia. }
  assert (W0 := power_above h). assert (W1 := power_gamma h ltac:(fold g; lra)). fold g in W1.
  assert (G : w ^ h * g <= gamma h).
  { unfold gamma. fold g. apply Rmult_le_reg_r with (1 - g); [lra|].
    replace (g / (1 - g) * (1 - g)) with g by (field; lra). nra. }
  assert (G0 : 0 <= w ^ h * g) by nra.
  assert (GG : w ^ (k + 1 + 2 * m) * t * (u64 * u64) <= gamma h * gamma h).
  { apply Rle_trans with ((w ^ h * w ^ h) * (INR h * INR h) * (u64 * u64)).
    - apply Rmult_le_compat_r; [nra|]. apply Rmult_le_compat; auto. assert (Z := power_above (k + 1 + 2 * m)). lra.
    - replace ((w ^ h * w ^ h) * (INR h * INR h) * (u64 * u64)) with ((w ^ h * g) * (w ^ h * g)) by (unfold g; ring).
      apply Rmult_le_compat; auto. }
  assert (GN : gamma h * gamma h * (2 * normal64) <= 3 * eta).
  { assert (Q : gamma h <= g * (1 + / 1000)).
    { unfold gamma. fold g. apply Rmult_le_reg_r with (1 - g); [lra|].
      replace (g / (1 - g) * (1 - g)) with g by (field; lra). nra. }
    assert (Q0 : 0 <= gamma h) by lra.
    assert (Q1 : gamma h * gamma h <= (g * (1 + / 1000)) * (g * (1 + / 1000))) by (apply Rmult_le_compat; auto).
    assert (Q2 : g * g <= u64 / 2).
    { unfold g. replace (INR h * u64 * (INR h * u64)) with (INR h * INR h * u64 * u64) by ring.
      assert (INR h * INR h <= 67108864 * 67108864) by (apply Rmult_le_compat; lra). unfold u64 in *. nra. }
    rewrite En. apply Rle_trans with ((u64 / 2 * (1 + / 1000) * (1 + / 1000)) * (2 * normal64)).
    - apply Rmult_le_compat_r; lra.
    - unfold u64 in *. nra. }
  eapply Rle_trans; [exact B|]. rewrite E.
  apply Rle_trans with (gamma h * gamma h * (a + INR n * (2 * normal64)) + INR n * eta).
  - apply Rplus_le_compat_r. now apply Rmult_le_compat_r.
  - assert (X : INR n * (gamma h * gamma h * (2 * normal64)) <= INR n * (3 * eta)) by now apply Rmult_le_compat_l.
    assert (0 <= INR n * eta) by (apply Rmult_le_pos; [lra | apply bpow_ge_0]). lra.
Qed.

Lemma magnitudes_positive (blocks : list (list (R * R))) : 0 <= sums_of_magnitudes blocks.
Proof.
  induction blocks as [|b blocks IH]; [apply Rle_refl|].
  change (sums_of_magnitudes (b :: blocks)) with (sums_of_magnitudes blocks + sum_of_magnitudes b).
  assert (0 <= sum_of_magnitudes b); [|lra]. induction b as [|t b IHb]; [apply Rle_refl|].
  change (sum_of_magnitudes (t :: b)) with (sum_of_magnitudes b + Rabs (fst t * snd t)).
  assert (H := Rabs_pos (fst t * snd t)). lra.
Qed.

Lemma chain_bound (blocks : list (list (R * R))) (k : nat) : Forall formats blocks ->
  Forall (fun b => (1 <= length b <= k)%nat) blocks -> (1 <= k)%nat -> INR (k + length blocks) <= 67108864 ->
  let (s, c) := dot2_chain blocks in
  Rabs (s + c - exact_sums blocks) <=
  gamma (k + length blocks) * gamma (k + length blocks) * sums_of_magnitudes blocks +
  2 * INR (length (concat blocks)) * bpow radix2 (-1074).
Proof.
  intros F L Hk Hh. assert (H := combines_known blocks k F L Hk 0 0 0 0 0 0 (zero_known k 0 Hk)).
  unfold dot2_chain. destruct (fold_left dot2_combine (map dot2_block_pair blocks) (0, 0)) as (s, c).
  rewrite !Rplus_0_l, !Nat.add_0_l, sums_of_sizes_value in H.
  exact (known_bound _ _ _ _ _ _ _ Hk Hh H (magnitudes_positive blocks)).
Qed.

(* Dekker's sequence on operands that are ordered by magnitude, as lib/cpu/dot2/dot2.cpp: sum_error. *)
Definition ordered_error (a b s : R) : R := if Rlt_bool (Rabs a) (Rabs b) then dot2_sum_error b a s else dot2_sum_error a b s.

Lemma dekker_error (a b : R) : format64 a -> format64 b -> Rabs b <= Rabs a ->
  dot2_sum_error a b (rd64 (a + b)) = a + b - rd64 (a + b).
Proof.
  intros Fa Fb O. unfold dot2_sum_error.
  assert (H := fast_two_sum_real a b Fa Fb O).
  change (rd64 (a + b) + rd64 (b + rd64 (a - rd64 (a + b))) = a + b) in H. set (s := rd64 (a + b)) in *.
  unfold Rminus at 1. replace (- rd64 (s - a)) with (rd64 (a - s)); [lra|].
  replace (a - s) with (- (s - a)) by ring. apply rnd64_opp.
Qed.

Lemma ordered_error_exact (a b : R) : format64 a -> format64 b -> ordered_error a b (rd64 (a + b)) = a + b - rd64 (a + b).
Proof.
  intros Fa Fb. unfold ordered_error. destruct (Rlt_bool_spec (Rabs a) (Rabs b)) as [L|L].
  - rewrite (Rplus_comm a b). apply dekker_error; auto. lra.
  - now apply dekker_error.
Qed.

(* Theorem: the shipped operations are those of the bound. *)
Theorem dot2_operations (s c x y s2 c2 : R) : format64 s -> format64 x -> format64 y -> format64 s2 ->
  dot2_step_source ordered_error s c x y = dot2_step (s, c) (x, y) /\
  dot2_combine_source ordered_error s c s2 c2 = dot2_combine (s, c) (s2, c2).
Proof.
  intros Fs Fx Fy Fs2. unfold dot2_step_source, dot2_combine_source, dot2_step, dot2_combine. split.
  - rewrite ordered_error_exact by (auto; apply rnd64_format). reflexivity.
  - rewrite ordered_error_exact by auto. reflexivity.
Qed.

(* An integer is a double if it is below 2^53, also times a power of two. *)
Lemma integer_format (n e : Z) : (Z.abs n < 9007199254740992)%Z -> (-1074 <= e)%Z -> format64 (IZR n * bpow radix2 e).
Proof. intros H He. apply generic_format_FLT. exists (Float radix2 n e); [reflexivity | exact H | exact He]. Qed.

Lemma integer_exact (n : Z) : (Z.abs n < 9007199254740992)%Z -> rd64 (IZR n) = IZR n.
Proof. intros H. apply rnd64_exact. rewrite <- (Rmult_1_r (IZR n)). apply (integer_format n 0 H). lia. Qed.

Lemma bound_slack_value : bound_slack = 1 + 1 / 281474976710656.
Proof.
  unfold bound_slack. apply rnd64_exact.
  replace (IZR 1 + IZR 1 / IZR 281474976710656) with (IZR 281474976710657 * bpow radix2 (-48)) by (simpl; lra).
  apply integer_format; lia.
Qed.

(* No rounding of the code's evaluation makes the bound smaller than the exact one. *)
Lemma gamma_bound_above (h : nat) : (1 <= h)%nat -> INR h <= 67108864 ->
  gamma h <= gamma_bound (INR h) unit_roundoff_double.
Proof.
  intros H1 Hh. unfold gamma_bound, gamma.
  assert (Eu : unit_roundoff_double = u64) by (unfold unit_roundoff_double, u64; lra). rewrite Eu.
  assert (I1 : 1 <= INR h) by (change 1 with (INR 1); now apply le_INR).
  rewrite INR_IZR_INZ in *. set (n := Z.of_nat h) in *.
  assert (N1 : (1 <= n)%Z) by (apply le_IZR; exact I1). assert (N2 : (n <= 67108864)%Z) by (apply le_IZR; exact Hh).
  assert (E1 : rd64 (IZR n * u64) = IZR n * u64).
  { apply rnd64_exact. rewrite u64_bpow. apply integer_format; lia. }
  rewrite !E1.
  assert (E2 : rd64 (IZR 1 - IZR n * u64) = 1 - IZR n * u64).
  { apply rnd64_exact. replace (1 - IZR n * u64) with (IZR (9007199254740992 - n) * bpow radix2 (-53)).
    - apply integer_format; lia.
    - rewrite minus_IZR, <- u64_bpow. unfold u64. lra. }
  rewrite E2. set (g := IZR n * u64) in *.
  assert (G : u64 <= g <= / 134217728) by (unfold g, u64 in *; lra).
  rewrite Rlt_bool_true by (unfold u64 in *; lra). rewrite bound_slack_value.
  set (q := g / (1 - g)). assert (Q : u64 <= q).
  { unfold q. apply Rmult_le_reg_r with (1 - g); [lra|]. replace (g / (1 - g) * (1 - g)) with g by (field; lra).
    assert (0 <= u64 * g) by (unfold u64 in *; nra). lra. }
  assert (Small : normal64 <= u64 / 2).
  { rewrite u64_bpow. change (/ 2) with (bpow radix2 (-1)). unfold Rdiv. change (/ 2) with (bpow radix2 (-1)).
    rewrite <- bpow_plus. apply bpow_le. lia. }
  assert (U := u64_positive).
  assert (B1 := rnd64_normal q). rewrite (Rabs_pos_eq q) in B1 by lra. specialize (B1 ltac:(lra)). split_abs B1.
  change (rnd64 q) with (rd64 q) in *.
  assert (P : u64 / 2 <= rd64 q) by (unfold u64 in *; lra).
  assert (B2 := rnd64_normal (rd64 q * (1 + 1 / 281474976710656))).
  rewrite (Rabs_pos_eq (rd64 q * _)) in B2 by lra. specialize (B2 ltac:(lra)). split_abs B2.
  change (rnd64 (rd64 q * (1 + 1 / 281474976710656))) with (rd64 (rd64 q * (1 + 1 / 281474976710656))) in *.
  unfold u64 in *. lra.
Qed.

Lemma componentwise_above (h : nat) : (1 <= h)%nat -> INR h <= 67108864 ->
  gamma h * gamma h * w <= rd64 (rd64 (gamma_bound (INR h) unit_roundoff_double * gamma_bound (INR h) unit_roundoff_double) * bound_slack).
Proof.
  intros H1 Hh. assert (G := gamma_bound_above h H1 Hh). set (b := gamma_bound (INR h) unit_roundoff_double) in *.
  assert (U := u64_positive). assert (I1 : 1 <= INR h) by (change 1 with (INR 1); now apply le_INR).
  assert (G0 : u64 <= gamma h).
  { unfold gamma. assert (INR h * u64 <= / 134217728) by (unfold u64 in *; lra).
    apply Rmult_le_reg_r with (1 - INR h * u64); [lra|].
    replace (INR h * u64 / (1 - INR h * u64) * (1 - INR h * u64)) with (INR h * u64) by (field; lra).
    assert (0 <= u64 * (INR h * u64)) by (repeat apply Rmult_le_pos; lra). nra. }
  assert (Q : gamma h * gamma h <= b * b) by (apply Rmult_le_compat; lra).
  assert (Q1 : u64 * u64 <= b * b) by (apply Rmult_le_compat; lra).
  assert (Small : normal64 <= u64 * u64 / 2).
  { rewrite u64_bpow. unfold Rdiv. change (/ 2) with (bpow radix2 (-1)). rewrite <- !bpow_plus. apply bpow_le. lia. }
  assert (Q2 : 0 < u64 * u64) by (unfold u64; lra).
  rewrite bound_slack_value. set (x := b * b) in *.
  assert (B1 := rnd64_normal x). rewrite (Rabs_pos_eq x) in B1 by lra. specialize (B1 ltac:(lra)). split_abs B1.
  change (rnd64 x) with (rd64 x) in *.
  assert (P : u64 * u64 / 2 <= rd64 x) by (unfold u64 in *; lra).
  assert (B2 := rnd64_normal (rd64 x * (1 + 1 / 281474976710656))).
  rewrite (Rabs_pos_eq (rd64 x * _)) in B2 by lra. specialize (B2 ltac:(lra)). split_abs B2.
  change (rnd64 (rd64 x * (1 + 1 / 281474976710656))) with (rd64 (rd64 x * (1 + 1 / 281474976710656))) in *.
  unfold u64 in *. lra.
Qed.

Lemma absolute_exact (n : Z) : (0 <= n <= 1099511627776)%Z ->
  rd64 (rd64 (IZR 5 * rd64 (IZR n)) * (IZR 1 * bpow radix2 (-1074))) = 5 * IZR n * bpow radix2 (-1074).
Proof.
  intros H. rewrite (integer_exact n) by lia. rewrite <- mult_IZR, (integer_exact (5 * n)) by lia. rewrite Rmult_1_l.
  apply rnd64_exact. apply integer_format; lia.
Qed.

(* The bound of lib/numerics/bounds.hpp for the rounded result RN(s + c). *)
Definition within_bound (depth : R) (n : Z) (s c r magnitudes : R) : Prop :=
  let '(relative, componentwise, absolute) := dot2_bound depth n unit_roundoff_double in
  Rabs (rnd64 (s + c) - r) <= relative * Rabs r + componentwise * magnitudes + absolute.

Lemma promised (h n : nat) (s c r a : R) : (1 <= h)%nat -> INR h <= 67108864 -> (1 <= Z.of_nat n <= 1099511627776)%Z -> 0 <= a ->
  Rabs (s + c - r) <= gamma h * gamma h * a + 2 * INR n * bpow radix2 (-1074) ->
  within_bound (INR h) (Z.of_nat n) s c r a.
Proof.
  intros H1 Hh Hn Ha B. unfold within_bound, dot2_bound. rewrite Req_bool_true by reflexivity.
  rewrite absolute_exact by lia. rewrite <- INR_IZR_INZ.
  assert (C := Rmult_le_compat_r a _ _ Ha (componentwise_above h H1 Hh)).
  match type of C with _ <= ?x => set (promise := x) in * end.
  assert (Eu : unit_roundoff_double = u64) by (unfold unit_roundoff_double, u64; lra). rewrite Eu.
  assert (Er := rnd64_error (s + c)). rewrite <- eta_normal in Er.
  assert (E : bpow radix2 (-1074) = 2 * eta) by (change 2 with (bpow radix2 1); now rewrite <- bpow_plus).
  assert (T : Rabs (s + c) <= Rabs (s + c - r) + Rabs r).
  { replace (s + c) with ((s + c - r) + r) at 1 by ring. apply Rabs_triang. }
  assert (D : Rabs (rnd64 (s + c) - r) <= Rabs (rnd64 (s + c) - (s + c)) + Rabs (s + c - r)).
  { replace (rnd64 (s + c) - r) with ((rnd64 (s + c) - (s + c)) + (s + c - r)) by ring. apply Rabs_triang. }
  assert (N : 1 <= INR n) by (rewrite INR_IZR_INZ; apply IZR_le; lia).
  assert (P : 0 < eta) by apply bpow_gt_0. assert (Q : eta <= INR n * eta) by nra.
  rewrite E in *. set (k := INR n * eta) in *.
  replace (2 * INR n * (2 * eta)) with (4 * k) in B by (unfold k; ring).
  replace (5 * INR n * (2 * eta)) with (10 * k) by (unfold k; ring).
  replace (gamma h * gamma h * w * a) with (gamma h * gamma h * a * w) in C by ring.
  set (g := gamma h * gamma h * a) in *. unfold u64 in *. lra.
Qed.

(* Theorem: the bound of GEMV and GEMM for sums of up to 2^32 terms. The blocks hold k terms in all, each of them at
   most dot2_block. *)
Theorem dot2_gemm_bound (blocks : list (list (R * R))) : Forall formats blocks ->
  let k := Z.of_nat (length (concat blocks)) in
  (1 <= k <= 4294967296)%Z -> Z.of_nat (length blocks) = ceil_div k dot2_block ->
  Forall (fun b => (1 <= length b)%nat /\ (Z.of_nat (length b) <= dot2_block)%Z) blocks ->
  let (s, c) := dot2_chain blocks in
  within_bound (dot2_depth_gemm k) k s c (exact_sums blocks) (sums_of_magnitudes blocks).
Proof.
  intros F k Hk N L. set (m := Z.to_nat (if (k <? dot2_block)%Z then k else dot2_block)).
  assert (Hb : (1 <= dot2_block <= 1024)%Z) by (unfold dot2_block; lia).
  assert (Hm : (Z.of_nat m = if (k <? dot2_block)%Z then k else dot2_block)%Z).
  { unfold m. apply Z2Nat.id. destruct (k <? dot2_block)%Z; lia. }
  assert (Hl : forall b, In b blocks -> (length b <= length (concat blocks))%nat).
  { intros b Hi. clear -Hi. induction blocks as [|d blocks IH]; [contradiction|]. cbn [concat]. rewrite app_length.
    destruct Hi as [->|Hi]; [lia|]. specialize (IH Hi). lia. }
  assert (L' : Forall (fun b => (1 <= length b <= m)%nat) blocks).
  { rewrite Forall_forall in *. intros b Hi. destruct (L b Hi) as (L1 & L2). specialize (Hl b Hi). split; [exact L1|].
    apply Nat2Z.inj_le. rewrite Hm. unfold k in *. destruct (Z.ltb_spec (Z.of_nat (length (concat blocks))) dot2_block); lia. }
  assert (H1 : (1 <= m)%nat) by (apply Nat2Z.inj_le; rewrite Hm; destruct (Z.ltb_spec k dot2_block); lia).
  assert (Nk : (0 <= Z.of_nat (length blocks) <= 33554432)%Z).
  { split; [lia|]. rewrite N. unfold ceil_div. rewrite Z.quot_div_nonneg by lia.
    apply Z.le_trans with ((4294967296 + dot2_block - 1) / dot2_block)%Z; [apply Z.div_le_mono; lia|].
    vm_compute. discriminate. }
  assert (M2 : (Z.of_nat m <= 1024)%Z) by (rewrite Hm; destruct (Z.ltb_spec k dot2_block); lia).
  assert (D : dot2_depth_gemm k = INR (m + length blocks)).
  { unfold dot2_depth_gemm. rewrite <- Hm, <- N. rewrite (integer_exact (Z.of_nat m)), (integer_exact (Z.of_nat (length blocks))) by lia.
    rewrite <- plus_IZR, integer_exact by lia. now rewrite <- Nat2Z.inj_add, <- INR_IZR_INZ. }
  rewrite D. assert (Hh : INR (m + length blocks) <= 67108864).
  { rewrite INR_IZR_INZ. apply IZR_le. lia. }
  assert (B := chain_bound blocks m F L' H1 Hh). destruct (dot2_chain blocks) as (s, c).
  apply promised; auto; try lia. apply magnitudes_positive.
Qed.
