(* The correction by Rayleigh's quotient (lib/certified/eigen_bounds.cpp: bound_corrections; docs/eigenvalues.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums LanesSource Lanes OutwardSource Outward CertifiedSource Linear Certified Euclid ColumnsSource Columns EigenSource Eigen SpectrumSource Spectrum.

Open Scope R_scope.

Section Bounds.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.

Notation add_up := (add_up bits_of number_of).
Notation mul_up := (mul_up bits_of number_of).
Let add_bound := add_bound bits_of bits_right.
Let mul_bound := mul_bound bits_of bits_right.

(* A sum of products in doubles, from the first to the last. *)
Lemma sum_near (x f : nat -> R) (m : nat) : (Z.of_nat m <= 2 ^ 45)%Z ->
  match for_up 0 (Z.of_nat m) (fun i sum => xadd sum (xmul (numbers x i) (numbers f i))) (Some (IZR 0)) with
  | Some c => format64 c /\ Rabs (c - dot m x f) <= 2 * INR m * u64 * dot m (fun i => Rabs (x i)) (fun i => Rabs (f i)) + 2 * INR m * pow (-1075) | None => True end.
Proof.
  intros Hm. change (2 ^ 45)%Z with 35184372088832%Z in Hm. set (body := fun i sum => xadd sum (xmul (numbers x i) (numbers f i))).
  enough (Q : match for_up 0 (Z.of_nat m) body (Some (IZR 0)) with Some c => format64 c /\ let k := Z.to_nat (Z.of_nat m) in (k = 0%nat -> c = 0) /\
    Rabs (c - dot k x f) <= 2 * INR k * u64 * dot k (fun i => Rabs (x i)) (fun i => Rabs (f i)) + 2 * INR k * pow (-1075) | None => True end).
  { rewrite Nat2Z.id in Q. destruct (for_up _ _ _ _) as [c|]; [|exact I]. cbv zeta in Q. tauto. }
  apply (for_up_invariant (fun j s => match s with Some c => format64 c /\ let k := Z.to_nat j in (k = 0%nat -> c = 0) /\
    Rabs (c - dot k x f) <= 2 * INR k * u64 * dot k (fun i => Rabs (x i)) (fun i => Rabs (f i)) + 2 * INR k * pow (-1075) | None => True end)).
  - lia.
  - split; [apply generic_format_0|]. split; [reflexivity|]. unfold dot. cbn [sum_to Z.to_nat INR]. rewrite Rminus_0_r, Rabs_R0. lra.
  - intros j [c|] Hj Hs; [|exact I]. unfold body. set (k := Z.to_nat j) in *. assert (Ek : j = Z.of_nat k) by lia. replace (Z.to_nat (j + 1)) with (S k) by lia. unfold numbers. fold k. unfold xmul, xtwo. set (p := rd64 (x k * f k)).
    destruct (fits p) as [p'|] eqn:Ep; [apply fits_some in Ep as (-> & _)|exact I]. unfold xadd, xtwo. destruct (fits (rd64 (c + p))) as [s|] eqn:Es; [|exact I]. apply fits_some in Es as (-> & _). destruct Hs as (Fc & Zc & Hs). split; [apply rnd64_format|]. cbv zeta. split; [discriminate|].
    change (dot (S k) x f) with (dot k x f + x k * f k). assert (Next : forall y z : nat -> R, dot (S k) y z = dot k y z + y k * z k) by reflexivity. rewrite (Next (fun i => Rabs (x i)) (fun i => Rabs (f i))). rewrite <- Rabs_mult.
    set (b := dot k (fun i => Rabs (x i)) (fun i => Rabs (f i))) in *. set (e := dot k x f) in *. set (z := x k * f k) in *. assert (Pz := Rabs_pos z). assert (Eta : u64 * normal64 = pow (-1075)) by (rewrite u64_bpow; unfold normal64; rewrite <- bpow_plus; reflexivity).
    assert (Pe := bpow_gt_0 radix2 (-1075)). assert (B1 := rnd64_error z). change (rnd64 z) with p in B1. rewrite Eta in B1. assert (B2 := rnd64_sum c p Fc (rnd64_format _)). change (rnd64 (c + p)) with (rd64 (c + p)) in B2. set (s := rd64 (c + p)) in *.
    assert (B0 : Rabs e <= b) by (unfold e, b, dot; eapply Rle_trans; [apply sum_absolute|]; right; apply sum_equal; intros; apply Rabs_mult).
    assert (Pb : 0 <= b) by (apply Rle_trans with (Rabs e); [apply Rabs_pos | exact B0]). rewrite S_INR. destruct k as [|k'] eqn:Ez.
    + assert (c = 0) as -> by (now apply Zc). assert (Es : s = p) by (unfold s; rewrite Rplus_0_l; apply rnd64_exact, rnd64_format). rewrite Es. unfold b, e, dot. cbn [sum_to INR]. rewrite !Rplus_0_l. assert (0 <= u64 * Rabs z) by (apply Rmult_le_pos; [unfold u64; lra | exact Pz]). lra.
    + rewrite <- Ez in *. set (m' := INR k) in *. assert (M1 : 1 <= m') by (unfold m'; change 1 with (INR 1); apply le_INR; lia). assert (M2 : m' * u64 <= / 256) by (unfold m', u64; rewrite INR_IZR_INZ; assert (IZR (Z.of_nat k) <= 35184372088832) by (apply IZR_le; lia); lra).
      set (v := m' * u64) in *. assert (V0 : u64 <= v) by (unfold v; assert (u64 * 1 <= u64 * m') by (apply Rmult_le_compat_l; [unfold u64; lra | exact M1]); lra).
      replace (2 * m' * u64 * b) with (2 * (v * b)) in Hs by (unfold v; ring). replace (2 * (m' + 1) * u64 * (b + Rabs z)) with (2 * (v * b) + 2 * (v * Rabs z) + 2 * (u64 * b) + 2 * (u64 * Rabs z)) by (unfold v; ring).
      assert (Size : Rabs (c + p) <= b + (2 * (v * b) + 2 * m' * pow (-1075)) + (Rabs z + (u64 * Rabs z + pow (-1075)))).
      { replace (c + p) with (e + (c - e) + (z + (p - z))) by ring. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; (eapply Rle_trans; [apply Rabs_triang|]; lra). }
      replace (s - (e + z)) with ((c - e) + ((p - z) + (s - (c + p)))) by ring. eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang|].
      assert (Q1 : u64 * (v * b) <= / 256 * (u64 * b)) by (replace (u64 * (v * b)) with (v * (u64 * b)) by ring; apply Rmult_le_compat_r; [apply Rmult_le_pos; [unfold u64; lra | exact Pb] | exact M2]).
      assert (Q2 : u64 * (m' * pow (-1075)) <= / 256 * pow (-1075)) by (replace (u64 * (m' * pow (-1075))) with (v * pow (-1075)) by (unfold v; ring); apply Rmult_le_compat_r; lra).
      assert (Q3 : u64 * Rabs z <= v * Rabs z) by (apply Rmult_le_compat_r; assumption). assert (Q4 : u64 * (u64 * Rabs z) <= / 256 * (u64 * Rabs z)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; [unfold u64; lra | exact Pz] | unfold u64; lra]).
      assert (Q5 : u64 * pow (-1075) <= / 256 * pow (-1075)) by (apply Rmult_le_compat_r; [lra | unfold u64; lra]).
      assert (U3 := Rmult_le_compat_l u64 _ _ ltac:(unfold u64; lra) Size). assert (0 <= u64 * b) by (apply Rmult_le_pos; [unfold u64; lra | exact Pb]). assert (0 <= u64 * Rabs z) by (apply Rmult_le_pos; [unfold u64; lra | exact Pz]). lra.
Qed.

(* Column j: x and xl are its parts, f the computed column of F, fx the exact one. *)
Variables (r : nat) (x xl f fx : nat -> R) (a : R) (high_size low : option R) (residuals errors corrections correction_errors : Z -> option R) (j : Z).
Let y i := x i + xl i.
Hypothesis r_small : (Z.of_nat r <= 2 ^ 45)%Z.
Hypothesis column_at : (j * Z.of_nat r = 0 /\ (j + 1) * Z.of_nat r = Z.of_nat r)%Z.
Hypothesis a_right : format64 a /\ 0 <= a < 1 /\ Rabs (1 - dot r y y) <= a /\ norm r x <= 1 + a.
Hypothesis sizes : bound high_size (norm r x) /\ bound low (norm r xl).
Hypothesis residual_sizes : bound (residuals j) (norm r fx) /\ bound (residuals j) (norm r f) /\ bound (errors j) (norm r (fun i => fx i - f i)).

(* Theorem: correction_errors is no smaller than the distance of `corrections` from x^T F x / x^T x, for the exact column of F. *)
Theorem rayleigh_correction (t : R) : t * dot r y y = dot r y fx ->
  let (rest, rounding) := correction_scales bits_of number_of (Z.of_nat r) (Some a) high_size in let sum := correction_sum bits_of number_of (Z.of_nat r) (numbers x) (numbers f) j in
  let (corrections, correction_errors) := correction_of bits_of number_of (Z.of_nat r) (Some a) rest rounding sum (fun _ => low) residuals errors corrections correction_errors j in
  match corrections j with Some c => format64 c /\ bound (correction_errors j) (Rabs (t - c)) | None => True end.
Proof.
  intros Et. unfold correction_scales, correction_sum, correction_of. cbv zeta. unfold update. rewrite !Z.eqb_refl. destruct column_at as (-> & ->). destruct a_right as (Fa & Ha & Na & Xa). destruct sizes as (Bh & Bl). destruct residual_sizes as (R1 & R2 & R3).
  assert (S := sum_near x f r r_small). destruct (for_up 0 _ _ _) as [c|]; [|exact I]. destruct S as (Fc & S). split; [exact Fc|]. assert (Sr := r_small). change (2 ^ 45)%Z with 35184372088832%Z in Sr.
  assert (P1 := norm_positive r x). assert (P2 := norm_positive r xl). assert (P3 := norm_positive r f). assert (P4 := norm_positive r fx). assert (P5 := norm_positive r (fun i => fx i - f i)). assert (Pc := Rabs_pos c). assert (Pe := bpow_gt_0 radix2 (-1075)).
  set (R0 := Rmax (norm r f) (norm r fx)). assert (R4 : norm r f <= R0) by apply Rmax_l. assert (R5 : norm r fx <= R0) by apply Rmax_r.
  assert (Br : bound (residuals j) R0). { destruct (residuals j) as [v|]; [|exact I]. destruct R1 as (F1 & Q1 & L1). destruct R2 as (_ & _ & L2). repeat split; auto. now apply Rmax_lub. }
  assert (Ex : rd64 (rd64 (IZR (2 * Z.of_nat r)) * rounding_unit) = IZR (2 * Z.of_nat r) * u64).
  { rewrite (rd64_integer (2 * Z.of_nat r)) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). rewrite bounds_unit, u64_bpow. apply rnd64_exact, format64_scaled.
    - rewrite <- (rd64_integer (2 * Z.of_nat r)) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). apply rnd64_format.
    - destruct (Z.eq_dec (Z.of_nat r) 0) as [Z0|N0]; [left; now rewrite Z0 | right]. rewrite Rabs_pos_eq by (apply IZR_le; lia). apply Rle_trans with (1 * pow (-53)); [rewrite Rmult_1_l; apply bpow_le; lia | apply Rmult_le_compat_r; [apply bpow_ge_0 | apply IZR_le; lia]]. }
  set (k := IZR (2 * Z.of_nat r) * u64) in *. assert (K0 : 0 <= k) by (apply Rmult_le_pos; [apply IZR_le; lia | unfold u64; lra]).
  assert (Brnd : bound (mul_up (xmul (Some (rd64 (IZR (2 * Z.of_nat r)))) (Some rounding_unit)) high_size) (k * norm r x)).
  { unfold xmul, xtwo. rewrite Ex. unfold fits. destruct (Rlt_bool _ _); [|exact I]. apply mul_bound; [exact K0 | exact P1 | | exact Bh]. apply bound_exact; [rewrite <- Ex; apply rnd64_format | exact K0]. }
  assert (B1 : bound (Some (IZR 1)) 1) by (apply bound_exact; [apply (format64_bpow 0); lia | lra]). assert (Ba : bound (Some a) a) by (apply bound_exact; [exact Fa | lra]). assert (Bc : bound (xabs (Some c)) (Rabs c)) by (apply bound_exact; [now apply generic_format_abs | exact Pc]).
  set (E := (k * norm r x + norm r xl) * R0 + ((1 + a) * norm r (fun i => fx i - f i) + a * Rabs c) + 1 * IZR (Z.of_nat r) * pow (-1074)).
  assert (Kx : 0 <= k * norm r x) by now apply Rmult_le_pos. assert (Be : bound (add_up (add_up (mul_up (add_up (mul_up (xmul (Some (rd64 (IZR (2 * Z.of_nat r)))) (Some rounding_unit)) high_size) low) (residuals j))
    (add_up (mul_up (add_up (Some (IZR 1)) (Some a)) (errors j)) (mul_up (Some a) (xabs (Some c))))) (underflow_of bits_of number_of (Some (IZR 1)) (Z.of_nat r))) E).
  { apply add_bound; [|apply (underflow_right bits_of bits_right 1); [lia | change (2 ^ 45)%Z with 35184372088832%Z; lia]]. apply add_bound; [apply mul_bound; [lra | lra | now apply add_bound | exact Br]|].
    apply add_bound; apply mul_bound; auto; lra. }
  assert (Lr := one_minus_lower bits_of bits_right a Fa ltac:(lra)). assert (Er : 0 <= E).
  { unfold E. assert (0 <= (k * norm r x + norm r xl) * R0) by (apply Rmult_le_pos; lra). assert (0 <= (1 + a) * norm r (fun i => fx i - f i)) by (apply Rmult_le_pos; lra). assert (0 <= a * Rabs c) by (apply Rmult_le_pos; lra).
    assert (0 <= 1 * IZR (Z.of_nat r) * pow (-1074)) by (apply Rmult_le_pos; [rewrite Rmult_1_l; apply IZR_le; lia | apply bpow_ge_0]). lra. }
  assert (Q := divided bits_of bits_right _ _ E (1 - a) Er Be Lr). cbv beta. match goal with |- bound ?q _ => destruct q as [v|]; [|exact I] end. destruct Q as (Fv & Pv & _ & Lv). split; [exact Fv|]. split; [exact Pv|]. eapply Rle_trans; [|exact Lv].
  assert (N := Na). split_abs N. set (yy := dot r y y) in *. assert (Eq : t - c = (dot r y fx - c * yy) / yy) by (rewrite <- Et; field; lra). rewrite Eq. unfold Rdiv. rewrite Rabs_mult, (Rabs_pos_eq (/ yy)) by (left; apply Rinv_0_lt_compat; lra).
  apply Rmult_le_compat; [apply Rabs_pos | left; apply Rinv_0_lt_compat; lra | | apply Rinv_le_contravar; lra].
  assert (Split : dot r y fx - c * yy = dot r x (fun i => fx i - f i) + (- (c - dot r x f) + (dot r xl fx + c * (1 - yy)))).
  { assert (D1 : dot r y fx = dot r x fx + dot r xl fx) by apply dot_plus. assert (D2 : dot r x (fun i => fx i - f i) = dot r x fx - dot r x f) by (unfold dot; rewrite <- sum_minus; apply sum_equal; intros; ring). rewrite D1, D2. ring. }
  rewrite Split. eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang|]. eapply Rle_trans; [do 2 apply Rplus_le_compat_l; apply Rabs_triang|]. rewrite Rabs_Ropp, (Rabs_mult c).
  assert (G1 := dot_norms r x (fun i => fx i - f i)). assert (G2 := dot_norms r xl fx). assert (G3 := Rle_trans _ _ _ (Rle_abs _) (dot_norms r (fun i => Rabs (x i)) (fun i => Rabs (f i)))). rewrite !norm_absolute in G3.
  assert (H1 : norm r x * norm r (fun i => fx i - f i) <= (1 + a) * norm r (fun i => fx i - f i)) by (apply Rmult_le_compat_r; assumption). assert (H2 : norm r xl * norm r fx <= norm r xl * R0) by (apply Rmult_le_compat_l; assumption).
  assert (H3 : Rabs c * Rabs (1 - yy) <= a * Rabs c) by (rewrite Rmult_comm; apply Rmult_le_compat_r; assumption). assert (Kr : k = 2 * INR r * u64) by (unfold k; rewrite mult_IZR, INR_IZR_INZ; ring).
  assert (H4 : 2 * INR r * u64 * dot r (fun i => Rabs (x i)) (fun i => Rabs (f i)) <= k * norm r x * R0).
  { rewrite <- Kr, Rmult_assoc. apply Rmult_le_compat_l; [exact K0|]. eapply Rle_trans; [exact G3|]. now apply Rmult_le_compat_l. }
  assert (E74 : 1 * IZR (Z.of_nat r) * pow (-1074) = 2 * INR r * pow (-1075)) by (rewrite INR_IZR_INZ; replace (pow (-1074)) with (2 * pow (-1075)) by (change 2 with (pow 1); rewrite <- bpow_plus; reflexivity); ring).
  unfold E. rewrite E74. lra.
Qed.
End Bounds.
