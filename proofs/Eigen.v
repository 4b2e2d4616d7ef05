(* The bounds of approximate eigenpairs (lib/certified/eigen_bounds.cpp; docs/eigenvalues.md): how far X is from orthogonal, and the norms of the columns of A Y - X D, where Y is X for eigenvectors. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums ZivSource LanesSource Lanes OutwardSource Outward CertifiedSource Linear Certified Euclid ColumnsSource Columns EigenSource.

Open Scope R_scope.

Lemma bounds_unit : rounding_unit = u64. Proof. unfold rounding_unit, u64. lra. Qed.

Section Bounds.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.
Variable exponent_of : option R -> Z.
Hypothesis exponent_right : forall x, 0 < x -> x < pow (exponent_of (Some x)) /\ pow (exponent_of (Some x) - 1) <= x.

Notation add_up := (add_up bits_of number_of).
Notation mul_up := (mul_up bits_of number_of).
Notation norm_up := (norm_up bits_of number_of exponent_of).
Let add_bound := add_bound bits_of bits_right.
Let mul_bound := mul_bound bits_of bits_right.

Lemma underflow_right (t r : Z) : (0 <= t <= 16)%Z -> (0 <= r <= 2 ^ 45)%Z -> bound (underflow_of bits_of number_of (Some (IZR t)) r) (IZR t * IZR r * pow (-1074)).
Proof.
  intros Ht Hr. change (2 ^ 45)%Z with 35184372088832%Z in Hr. unfold underflow_of. rewrite (rd64_integer r) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). unfold xmul, xtwo. rewrite <- mult_IZR.
  rewrite (rd64_integer (t * r)) by (change (2 ^ 53)%Z with 9007199254740992%Z; nia). unfold fits. destruct (Rlt_bool _ _); [|exact I].
  apply mul_bound; [apply IZR_le; nia | apply bpow_ge_0 | | apply least_bound].
  apply bound_exact; [|apply IZR_le; nia]. rewrite <- (rd64_integer (t * r)) by (change (2 ^ 53)%Z with 9007199254740992%Z; nia). apply rnd64_format.
Qed.

(* The norm of a matrix from upper bounds of the norms of its columns. *)
Lemma matrix_norm_right (r n : nat) (X : nat -> nat -> R) (norms : Z -> option R) : (Z.of_nat n <= 2 ^ 50)%Z ->
  (forall j, (j < n)%nat -> stored (norms (Z.of_nat j)) /\ bound (norms (Z.of_nat j)) (norm r (fun i => X i j))) ->
  match norm_up (Z.of_nat n) norms with Some m => format64 m /\ 0 <= m /\ norm n (fun j => norm r (fun i => X i j)) <= m /\ forall v, norm r (product n X v) <= m * norm n v | None => True end.
Proof.
  intros Hn H. destruct (norm_up_bounds bits_of bits_right exponent_of exponent_right n norms Hn (fun j Hj => proj1 (H j Hj))) as (B & Q).
  destruct (norm_up (Z.of_nat n) norms) as [m|]; [|exact I]. specialize (Q ltac:(discriminate)). destruct B as (F & P & L).
  assert (C : forall j, (j < n)%nat -> norm r (fun i => X i j) <= value (norms (Z.of_nat j))).
  { intros j Hj. destruct (H j Hj) as (_ & B). destruct (Q j Hj) as (y & E & _). rewrite E in *. apply B. }
  split; [exact F|]. split; [exact P|]. split.
  - eapply Rle_trans; [|exact L]. apply norm_monotone. intros j Hj. rewrite Rabs_pos_eq by apply norm_positive. eapply Rle_trans; [now apply C | apply Rle_abs].
  - intros v. eapply Rle_trans; [now apply (product_below r n X v) with (b := fun j => value (norms (Z.of_nat j)))|]. apply Rmult_le_compat_r; [apply norm_positive | exact L].
Qed.

(* X = X1 + X2 has n columns of r numbers; E is I - X1^T X1, whose elements are rounded once. For a real X the number g of its rows in memory is n. *)
Section Orthogonality.
Variables (r n g : nat) (X1 X2 : nat -> nat -> R) (two_parts : bool) (e_norms low_norms : Z -> option R).
Let E (j k : nat) : R := identity j k - sum_to r (fun i => X1 i j * X1 i k).
Hypothesis sizes : (n <= g)%nat /\ (Z.of_nat g <= 2 ^ 45)%Z.
Hypothesis e_norms_right : forall k, (k < n)%nat -> stored (e_norms (Z.of_nat k)) /\ bound (e_norms (Z.of_nat k)) (norm n (fun j => rd64 (E j k))).
Hypothesis low_norms_right : forall k, (k < n)%nat -> stored (low_norms (Z.of_nat k)) /\ bound (low_norms (Z.of_nat k)) (norm r (fun i => X2 i k)).
Hypothesis one_part : two_parts = false -> forall i j, X2 i j = 0.

Definition sum_of_parts (i j : nat) : R := X1 i j + X2 i j.
(* The singular values of X lie in [sqrt(1 - a), sqrt(1 + a)]. *)
Definition near_orthogonal (a : R) : Prop := forall v, Rabs (dot n v v - dot r (product n sum_of_parts v) (product n sum_of_parts v)) <= a * dot n v v.

Lemma gram (v : nat -> R) : dot r (product n X1 v) (product n X1 v) = dot n v v - dot n v (product n E v).
Proof.
  assert (S : dot r (product n X1 v) (product n X1 v) = sum_to n (fun j => v j * sum_to n (fun k => sum_to r (fun i => X1 i j * X1 i k) * v k))).
  { unfold dot, product. rewrite (sum_equal r _ (fun i => sum_to n (fun j => v j * sum_to n (fun k => X1 i j * X1 i k * v k)))).
    - rewrite sum_exchanged. apply sum_equal. intros j _. rewrite (sum_equal r _ (fun i => sum_to n (fun k => X1 i j * X1 i k * v k) * v j)) by (intros; ring). rewrite sum_scaled, sum_exchanged, Rmult_comm. f_equal.
      apply sum_equal. intros k _. apply sum_scaled.
    - intros i _. rewrite <- sum_scaled. apply sum_equal. intros j _. rewrite (sum_equal n (fun k => X1 i j * X1 i k * v k) (fun k => X1 i k * v k * X1 i j)) by (intros; ring). rewrite sum_scaled. ring. }
  rewrite S. unfold dot, product. rewrite <- sum_minus. apply sum_equal. intros j Hj. rewrite <- Rmult_minus_distr_l. f_equal. unfold E.
  rewrite (sum_equal n (fun k => (identity j k - _) * v k) (fun k => identity j k * v k - sum_to r (fun i => X1 i j * X1 i k) * v k)) by (intros; ring). rewrite sum_minus, sum_identity by exact Hj. ring.
Qed.

(* Theorem: what the code calls high_size is no smaller than the norm of X1, and contraction no smaller than that of I - X^T X. *)
Theorem orthogonality_bounds :
  let high := bound_of_e bits_of number_of (fun _ => gram_norm_up bits_of number_of exponent_of (Z.of_nat n) e_norms) (Z.of_nat g) e_norms in
  let low := if two_parts then low_size bits_of number_of exponent_of (Z.of_nat n) low_norms else low_at_first bits_of number_of in
  let (high_size, contraction) := contraction_of_x bits_of number_of high low in
  match high_size with Some s => format64 s /\ 1 <= s /\ (forall v, norm r (product n X1 v) <= s * norm n v) /\ forall j, (j < n)%nat -> norm r (fun i => X1 i j) <= s | None => True end /\
  match contraction with Some a => format64 a /\ 0 <= a /\ near_orthogonal a /\ forall j, (j < n)%nat -> norm r (fun i => X1 i j) <= 1 + a | None => True end.
Proof.
  intros high low. unfold contraction_of_x. cbv zeta. destruct sizes as (Hn & Hr). change (2 ^ 45)%Z with 35184372088832%Z in Hr. assert (P := bpow_gt_0 radix2 (-1075)). assert (U : 0 < u64) by (unfold u64; lra).
  assert (Small : (Z.of_nat n <= 2 ^ 50)%Z) by (change (2 ^ 50)%Z with 1125899906842624%Z; lia).
  (* e *)
  assert (High : exists h : R, bound high h /\ 0 <= h /\ (high <> None -> forall v, norm n (product n E v) <= h * norm n v)).
  { assert (M := matrix_norm_right n n (fun j k => rd64 (E j k)) e_norms Small e_norms_right). unfold high, bound_of_e, gram_norm_up in *. cbv zeta.
    destruct (norm_up (Z.of_nat n) e_norms) as [m|]; [|exists 0; split; [exact I | split; [lra | intros N; now elim N]]]. destruct M as (Fm & Pm & Lm & _).
    assert (Bu := underflow_right 1 (Z.of_nat g) ltac:(lia) ltac:(change (2 ^ 45)%Z with 35184372088832%Z; lia)). set (h := m * (1 + 2 * u64) + 1 * IZR (Z.of_nat g) * pow (-1074)).
    assert (Rp : 0 <= 1 * IZR (Z.of_nat g) * pow (-1074)) by (apply Rmult_le_pos; [rewrite Rmult_1_l; apply IZR_le; lia | apply bpow_ge_0]). assert (Mp : 0 <= m * (1 + 2 * u64)) by (apply Rmult_le_pos; lra).
    exists h. split; [|split].
    - apply add_bound; [|exact Bu]. apply mul_bound; [exact Pm | lra | now apply bound_exact | apply factor_bound, bounds_unit].
    - unfold h. lra.
    - intros _ v. set (c := fun k => norm n (fun j => rd64 (E j k))) in *. eapply Rle_trans; [apply (product_below n n E v) with (b := fun k => (1 + u64) * c k + sqrt (INR n) * pow (-1075))|].
      + intros k Hk. eapply Rle_trans; [apply (norm_below n _ (fun j => (1 + u64) * Rabs (rd64 (E j k))) (fun _ => pow (-1075)))|].
        * intros j _. assert (R := rounded_result (E j k)). assert (T := Rabs_triang (rd64 (E j k)) (E j k - rd64 (E j k))). replace (rd64 (E j k) + (E j k - rd64 (E j k))) with (E j k) in T by ring. lra.
        * rewrite norm_constant by lra. rewrite (norm_scaled n (fun j => Rabs (rd64 (E j k)))), norm_absolute, Rabs_pos_eq by lra. unfold c. lra.
      + apply Rmult_le_compat_r; [apply norm_positive|]. eapply Rle_trans; [apply norm_triangle|]. assert (Q := sqrt_pos (INR n)). rewrite norm_constant by (apply Rmult_le_pos; lra). rewrite norm_scaled, Rabs_pos_eq by lra.
        rewrite <- Rmult_assoc, sqrt_sqrt by apply pos_INR. unfold h. assert (A : (1 + u64) * norm n c <= m * (1 + 2 * u64)).
        { rewrite Rmult_comm. apply Rmult_le_compat; [apply norm_positive | lra | exact Lm | lra]. }
        assert (B : INR n * pow (-1075) <= 1 * IZR (Z.of_nat g) * pow (-1074)).
        { rewrite Rmult_1_l. apply Rmult_le_compat; [apply pos_INR | lra | rewrite INR_IZR_INZ; apply IZR_le; lia | apply bpow_le; lia]. }
        lra. }
  destruct High as (h & Bh & Ph & Eh). clearbody high. destruct high as [hv|]; [|split; exact I]. specialize (Eh ltac:(discriminate)).
  assert (One : bound (Some (IZR 1)) 1) by (apply bound_exact; [apply (format64_bpow 0); lia | lra]). assert (Two : bound (Some (IZR 2)) 2) by (apply bound_exact; [apply (format64_bpow 1); lia | lra]).
  assert (Bs : bound (add_up (Some (IZR 1)) (Some hv)) (1 + h)) by now apply add_bound. set (hs := add_up (Some (IZR 1)) (Some hv)) in *. clearbody hs.
  assert (Ev : forall v, Rabs (dot n v (product n E v)) <= h * dot n v v).
  { intros v. eapply Rle_trans; [apply dot_norms|]. assert (N := norm_positive n v). rewrite <- norm_squared. specialize (Eh v). apply Rle_trans with (norm n v * (h * norm n v)); [now apply Rmult_le_compat_l | lra]. }
  assert (First : forall v, norm r (product n X1 v) <= (1 + h) * norm n v).
  { intros v. assert (N := norm_positive n v). apply square_le; [apply Rmult_le_pos; lra|]. rewrite norm_squared, gram. specialize (Ev v). split_abs Ev. rewrite <- norm_squared in *. assert (Nn : 0 <= norm n v * norm n v) by now apply Rmult_le_pos.
    apply Rle_trans with ((1 + h) * (norm n v * norm n v)); [lra|]. replace ((1 + h) * norm n v * ((1 + h) * norm n v)) with ((1 + h) * ((1 + h) * (norm n v * norm n v))) by ring. apply Rmult_le_compat_l; [lra|].
    assert (0 <= h * (norm n v * norm n v)) by now apply Rmult_le_pos. lra. }
  split.
  { destruct hs as [s|]; [|exact I]. destruct Bs as (Fs & P0 & Ls). split; [exact Fs|]. split; [lra|].
    assert (All : forall v, norm r (product n X1 v) <= s * norm n v) by (intros v; eapply Rle_trans; [apply First | apply Rmult_le_compat_r; [apply norm_positive | exact Ls]]). split; [exact All|].
    intros j Hj. specialize (All (identity j)). rewrite unit_norm, Rmult_1_r in All by exact Hj. rewrite (norm_equal r _ (fun i => X1 i j)) in All by (intros i _; now apply product_unit). exact All. }
  assert (Low : exists l : R, bound low l /\ 0 <= l /\ (low <> None -> forall v, norm r (product n X2 v) <= l * norm n v)).
  { unfold low. destruct two_parts eqn:T.
    - assert (M := matrix_norm_right r n X2 low_norms Small low_norms_right). unfold low_size. cbv zeta. destruct (norm_up (Z.of_nat n) low_norms) as [m|]; [|exists 0; split; [exact I | split; [lra | intros N; now elim N]]].
      destruct M as (Fm & Pm & _ & Lm). exists m. split; [now apply bound_exact|]. split; [exact Pm | intros _; exact Lm].
    - exists 0. unfold low_at_first. split; [apply bound_exact; [apply generic_format_0 | apply Rle_refl]|]. split; [lra|]. intros _ v. rewrite Rmult_0_l. right. rewrite (norm_equal r _ (fun _ => 0)).
      + rewrite norm_constant by lra. ring.
      + intros i _. unfold product. rewrite (sum_equal n _ (fun _ => 0)) by (intros; rewrite one_part by reflexivity; ring). apply sum_zero. }
  destruct Low as (l & Bl & Pl & El). clearbody low. destruct low as [lv|]; [|exact I]. specialize (El ltac:(discriminate)).
  assert (Ba : bound (add_up (Some hv) (mul_up (Some lv) (add_up (mul_up (Some (IZR 2)) hs) (Some lv)))) (h + l * (2 * (1 + h) + l))).
  { apply add_bound; [exact Bh|]. apply mul_bound; [exact Pl | lra | exact Bl|]. apply add_bound; [|exact Bl]. apply mul_bound; [lra | lra | exact Two | exact Bs]. }
  destruct (add_up (Some hv) _) as [a|]; [|exact I]. destruct Ba as (Fa & Pa & La). split; [exact Fa|]. split; [exact Pa|]. split.
  2: { intros j Hj. assert (V := First (identity j)). rewrite unit_norm, Rmult_1_r in V by exact Hj. rewrite (norm_equal r _ (fun i => X1 i j)) in V by (intros i _; now apply product_unit).
    assert (0 <= l * (2 * (1 + h) + l)) by (apply Rmult_le_pos; lra). lra. }
  intros v.
  assert (N := norm_positive n v). specialize (Ev v). specialize (First v). specialize (El v). set (y := product n X1 v) in *. set (z := product n X2 v) in *.
  assert (Sum : dot r (product n sum_of_parts v) (product n sum_of_parts v) = dot r y y + 2 * dot r y z + dot r z z).
  { assert (Q : forall w, dot r (product n sum_of_parts v) w = dot r (fun i => y i + z i) w) by (intros w; apply sum_equal; intros i _; unfold sum_of_parts; now rewrite product_plus).
    rewrite Q, (dot_symmetric r _ (product n sum_of_parts v)), Q, !dot_plus, !(dot_symmetric r _ (fun i => y i + z i)), !dot_plus, (dot_symmetric r z y). ring. }
  assert (G := gram v). fold y in G. rewrite Sum, G. assert (C := dot_norms r y z). assert (Pz := norm_positive r z). assert (Py := norm_positive r y). rewrite <- (norm_squared n v) in *. set (nv := norm n v) in *.
  assert (C1 : Rabs (dot r y z) <= (1 + h) * l * (nv * nv)).
  { eapply Rle_trans; [exact C|]. replace ((1 + h) * l * (nv * nv)) with ((1 + h) * nv * (l * nv)) by ring. now apply Rmult_le_compat. }
  assert (C2 : dot r z z <= l * l * (nv * nv)) by (rewrite <- norm_squared; replace (l * l * (nv * nv)) with (l * nv * (l * nv)) by ring; now apply Rmult_le_compat).
  assert (C3 : 0 <= dot r z z) by apply dot_positive. assert (C4 : (h + l * (2 * (1 + h) + l)) * (nv * nv) <= a * (nv * nv)) by (apply Rmult_le_compat_r; [now apply Rmult_le_pos | exact La]).
  split_abs Ev. split_abs C1. apply Rabs_le. lra.
Qed.
End Orthogonality.

(* Column j of F = M Y - X D. M is the exact matrix, A the stored one; x and xl are the parts of X's column, y and yl those of Y's, d and dl those of the number of D. *)
Section Residual.
Variables (r m : nat) (largest : Z) (M A : nat -> nat -> R) (inexact two_parts : bool) (x xl y yl : nat -> R) (d dl : R) (h f1 f2 : nat -> R).
Hypothesis sizes : (Z.of_nat r <= largest)%Z /\ (Z.of_nat m <= largest)%Z /\ (largest <= 2 ^ 45)%Z.
Hypothesis A_near : forall i k, (i < r)%nat -> (k < m)%nat -> Rabs (M i k - A i k) <= loss inexact.
Hypothesis formats : format64 d /\ format64 dl /\ forall i, format64 (x i) /\ format64 (xl i).
Hypothesis one_part : two_parts = false -> forall i, xl i = 0 /\ yl i = 0.
(* What the code computes, and the products, each rounded once. *)
Variables (j : Z) (array : Z -> option R).
Hypothesis h_right : forall i, (i < r)%nat -> first_product bits_of number_of (Some (x i)) (Some d) = Some (h i).
Hypothesis f1_right : forall i, (i < r)%nat -> f1 i = rd64 (dot m (A i) y - h i).
Hypothesis f2_right : forall i, (i < r)%nat -> f2 i = if two_parts then rd64 (dot m (A i) yl + f1 i) else f1 i.
Definition f3 (i : Z) : option R := subtract_rest bits_of number_of two_parts (numbers f2 i) (numbers x i) (numbers xl i) (Some d) (Some dl).
Hypothesis finite : forall i, (i < r)%nat -> Rabs (f1 i) < pow 1024 /\ Rabs (f2 i) < pow 1024.

Definition residual (i : nat) : R := dot m (M i) (fun k => y k + yl k) - (x i + xl i) * (d + dl).

(* What is subtracted last. *)
Lemma rest_near (i : nat) (g : R) : (i < r)%nat -> f3 (Z.of_nat i) = Some g ->
  exists rest, format64 rest /\ g = rd64 (f2 i - rest) /\ Rabs g < pow 1024 /\
    Rabs (rest - ((x i * d - h i) + x i * dl + xl i * d + xl i * dl)) <= 3.1 * u64 * ((u64 * Rabs d + Rabs dl) * Rabs (x i) + (Rabs d + Rabs dl) * Rabs (xl i)) + 5 * pow (-1075).
Proof.
  intros Hi. destruct formats as (Fd & Fdl & Fx). destruct (Fx i) as (Fxi & Fli). assert (Hh := h_right i Hi). unfold first_product in Hh. cbv zeta in Hh.
  unfold xmul, xtwo in Hh. apply fits_some in Hh as (Hh & _). unfold f3, subtract_rest. cbv zeta. unfold numbers. rewrite Nat2Z.id. unfold xproduct_low, two_product_source, mul_rn_source, fma_rn_source. cbv zeta. cbn [snd].
  set (p := rd64 (x i * d + - rd64 (x i * d))). assert (Eta : u64 * normal64 = pow (-1075)) by (rewrite u64_bpow; unfold normal64; rewrite <- bpow_plus; reflexivity). assert (Pe := bpow_gt_0 radix2 (-1075)).
  assert (Bp : Rabs (x i * d - h i - p) <= pow (-1075)) by (rewrite Hh, <- Eta; exact (proj1 (product_error (x i) d Fxi Fd))).
  assert (Bh := rnd64_error (x i * d)). change (rnd64 (x i * d)) with (rd64 (x i * d)) in Bh. rewrite <- Hh, Eta in Bh. assert (Fp : format64 p) by apply rnd64_format. clearbody p.
  set (q1 := rd64 (x i * dl)). assert (B1 := rnd64_error (x i * dl)). change (rnd64 (x i * dl)) with q1 in B1. rewrite Eta in B1.
  set (s1 := rd64 (p + q1)). assert (C1 := rnd64_sum p q1 Fp (rnd64_format _)). change (rnd64 (p + q1)) with s1 in C1. assert (T1 := Rabs_triang p q1).
  assert (M1 : Rabs p <= u64 * Rabs (x i * d) + 2 * pow (-1075)).
  { replace p with (- (h i - x i * d) + - (x i * d - h i - p)) at 1 by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_Ropp. lra. }
  assert (M2 : Rabs q1 <= Rabs (x i * dl) + u64 * Rabs (x i * dl) + pow (-1075)) by (replace q1 with (x i * dl + (q1 - x i * dl)) by ring; eapply Rle_trans; [apply Rabs_triang|]; lra).
  assert (M3 : Rabs s1 <= (1 + u64) * (Rabs p + Rabs q1)) by (replace s1 with ((p + q1) + (s1 - (p + q1))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
  assert (A1 := Rabs_mult (x i) d). assert (A2 := Rabs_mult (x i) dl). assert (A3 := Rabs_mult (xl i) d). assert (A4 := Rabs_mult (xl i) dl).
  replace ((u64 * Rabs d + Rabs dl) * Rabs (x i) + (Rabs d + Rabs dl) * Rabs (xl i)) with (u64 * Rabs (x i * d) + Rabs (x i * dl) + Rabs (xl i * d) + Rabs (xl i * dl)) by (rewrite A1, A2, A3, A4; ring).
  assert (P1 := Rabs_pos (x i * d)). assert (P2 := Rabs_pos (x i * dl)). assert (P3 := Rabs_pos (xl i * d)). assert (P4 := Rabs_pos (xl i * dl)). clear A1 A2 A3 A4.
  destruct (fits p) as [p'|] eqn:Ep; [apply fits_some in Ep as (-> & _) | unfold xadd, xsub, xtwo; destruct two_parts; cbv iota beta; intros G; discriminate G].
  change (xmul (Some (x i)) (Some dl)) with (fits q1). destruct (fits q1) as [q'|] eqn:Eq; [apply fits_some in Eq as (-> & _) | unfold xadd, xsub, xtwo; destruct two_parts; cbv iota beta; intros G; discriminate G].
  change (xadd (Some p) (Some q1)) with (fits s1). destruct (fits s1) as [s'|] eqn:Es; [apply fits_some in Es as (-> & _) | unfold xadd, xsub, xtwo; destruct two_parts; cbv iota beta; intros G; discriminate G].
  destruct two_parts eqn:T.
  - set (q2 := rd64 (xl i * d)). set (q3 := rd64 (xl i * dl)). change (xmul (Some (xl i)) (Some d)) with (fits q2). change (xmul (Some (xl i)) (Some dl)) with (fits q3). destruct (fits q2) as [q'|] eqn:E2; [apply fits_some in E2 as (-> & _) | unfold xadd, xsub, xtwo; cbv iota beta; intros G; discriminate G].
    destruct (fits q3) as [q'|] eqn:E3; [apply fits_some in E3 as (-> & _) | unfold xadd, xsub, xtwo; cbv iota beta; intros G; discriminate G]. set (s2 := rd64 (q2 + q3)). change (xadd (Some q2) (Some q3)) with (fits s2). destruct (fits s2) as [q'|] eqn:E4; [apply fits_some in E4 as (-> & _) | unfold xadd, xsub, xtwo; cbv iota beta; intros G; discriminate G].
    set (rest := rd64 (s1 + s2)). change (xadd (Some s1) (Some s2)) with (fits rest). destruct (fits rest) as [q'|] eqn:E5; [apply fits_some in E5 as (-> & _) | unfold xadd, xsub, xtwo; cbv iota beta; intros G; discriminate G]. unfold xsub, xtwo. intros G. apply fits_some in G as (-> & Lg).
    exists rest. split; [apply rnd64_format|]. split; [reflexivity|]. split; [exact Lg|].
    assert (B2 := rnd64_error (xl i * d)). change (rnd64 (xl i * d)) with q2 in B2. assert (B3 := rnd64_error (xl i * dl)). change (rnd64 (xl i * dl)) with q3 in B3. rewrite Eta in B2, B3.
    assert (C2 := rnd64_sum q2 q3 (rnd64_format _) (rnd64_format _)). change (rnd64 (q2 + q3)) with s2 in C2. assert (C3 := rnd64_sum s1 s2 (rnd64_format _) (rnd64_format _)). change (rnd64 (s1 + s2)) with rest in C3.
    assert (T2 := Rabs_triang q2 q3). assert (T3 := Rabs_triang s1 s2).
    assert (N2 : Rabs q2 <= Rabs (xl i * d) + u64 * Rabs (xl i * d) + pow (-1075)) by (replace q2 with (xl i * d + (q2 - xl i * d)) by ring; eapply Rle_trans; [apply Rabs_triang|]; lra).
    assert (N3 : Rabs q3 <= Rabs (xl i * dl) + u64 * Rabs (xl i * dl) + pow (-1075)) by (replace q3 with (xl i * dl + (q3 - xl i * dl)) by ring; eapply Rle_trans; [apply Rabs_triang|]; lra).
    assert (N4 : Rabs s2 <= (1 + u64) * (Rabs q2 + Rabs q3)) by (replace s2 with ((q2 + q3) + (s2 - (q2 + q3))) by ring; eapply Rle_trans; [apply Rabs_triang|]; unfold u64 in *; lra).
    split_abs Bp. split_abs B1. split_abs B2. split_abs B3. split_abs C1. split_abs C2. split_abs C3. apply Rabs_le. unfold u64 in *. lra.
  - unfold xsub, xtwo. intros G. apply fits_some in G as (-> & Lg). exists s1. split; [apply rnd64_format|]. split; [reflexivity|]. split; [exact Lg|]. rewrite (proj1 (one_part eq_refl i)), !Rmult_0_l, !Rplus_0_r in *.
    split_abs Bp. split_abs B1. split_abs C1. rewrite Rabs_R0 in *. apply Rabs_le. unfold u64 in *. lra.
Qed.

Lemma residual_near (i : nat) (g : R) : (i < r)%nat -> norm m (fun k => y k + yl k) <= 3 / 2 -> f3 (Z.of_nat i) = Some g ->
  Rabs (residual i - g) <= u64 * Rabs (f1 i) + ((if two_parts then u64 else 0) * Rabs (f2 i) + (u64 * Rabs g + (3.1 * u64 * (u64 * Rabs d + Rabs dl) * Rabs (x i) + (3.1 * u64 * (Rabs d + Rabs dl) * Rabs (xl i) +
    (8 * pow (-1075) + loss inexact * (sqrt (INR m) * (3 / 2))))))).
Proof.
  intros Hi Hn G. destruct (rest_near i g Hi G) as (rest & Fr & Eg & Lg & B). destruct formats as (_ & _ & Fx). assert (Pe := bpow_gt_0 radix2 (-1075)).
  assert (F2 : format64 (f2 i)) by (rewrite f2_right by exact Hi; destruct two_parts; [apply rnd64_format | rewrite f1_right by exact Hi; apply rnd64_format]).
  assert (C1 := rounded_result (dot m (A i) y - h i)). rewrite <- f1_right in C1 by exact Hi.
  assert (C3 : Rabs (f2 i - rest - g) <= u64 * Rabs g + pow (-1075)) by (rewrite Eg; apply rounded_result).
  assert (Loss : Rabs (dot m (M i) (fun k => y k + yl k) - dot m (A i) (fun k => y k + yl k)) <= loss inexact * (sqrt (INR m) * (3 / 2))).
  { assert (L0 : 0 <= loss inexact) by apply loss_positive. unfold dot. rewrite <- sum_minus. eapply Rle_trans; [apply sum_absolute|]. apply Rle_trans with (sum_to m (fun k => Rabs (y k + yl k) * loss inexact)).
    - apply sum_monotone. intros k Hk. rewrite <- Rmult_minus_distr_r, Rabs_mult, Rmult_comm. apply Rmult_le_compat_l; [apply Rabs_pos | now apply A_near].
    - rewrite sum_scaled, Rmult_comm. apply Rmult_le_compat_l; [exact L0|]. assert (C := dot_norms m (fun _ => 1) (fun k => Rabs (y k + yl k))). rewrite norm_constant, norm_absolute in C by lra. unfold dot in C.
      rewrite (sum_equal m _ (fun k => Rabs (y k + yl k))) in C by (intros; ring). eapply Rle_trans; [apply Rle_abs|]. eapply Rle_trans; [exact C|]. rewrite Rmult_1_r. apply Rmult_le_compat_l; [apply sqrt_pos | exact Hn]. }
  set (K := (x i * d - h i) + x i * dl + xl i * d + xl i * dl) in *. set (s1 := dot m (A i) y - h i) in *. set (bounds := (u64 * Rabs d + Rabs dl) * Rabs (x i) + (Rabs d + Rabs dl) * Rabs (xl i)) in *.
  assert (Sum : dot m (A i) (fun k => y k + yl k) = dot m (A i) y + dot m (A i) yl) by (rewrite dot_symmetric, dot_plus, !(dot_symmetric m _ (A i)); reflexivity).
  assert (Parts : exists c2, Rabs c2 <= (if two_parts then u64 else 0) * Rabs (f2 i) + pow (-1075) /\ dot m (A i) yl + f1 i = f2 i + c2).
  { rewrite f2_right by exact Hi. destruct two_parts eqn:T.
    - exists (dot m (A i) yl + f1 i - rd64 (dot m (A i) yl + f1 i)). split; [apply rounded_result | ring].
    - exists 0. rewrite Rabs_R0, Rmult_0_l. split; [lra|]. unfold dot. rewrite (sum_equal m _ (fun _ => 0)) by (intros; rewrite (proj2 (one_part eq_refl _)); ring). rewrite sum_zero. ring. }
  destruct Parts as (c2 & C2 & E2). unfold residual. set (L := dot m (M i) _ - dot m (A i) _) in Loss.
  replace (dot m (M i) (fun k => y k + yl k) - (x i + xl i) * (d + dl) - g) with (L + ((s1 - f1 i) + (c2 + ((f2 i - rest - g) + (rest - K))))).
  2: { assert (EL : dot m (M i) (fun k => y k + yl k) = L + (dot m (A i) y + dot m (A i) yl)) by (unfold L; rewrite Sum; ring). rewrite EL. unfold s1, K. replace c2 with (dot m (A i) yl + f1 i - f2 i) by lra. ring. }
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l, Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_l, Rplus_le_compat_l, Rplus_le_compat_l, Rabs_triang|].
  assert (EB : 3.1 * u64 * bounds = 3.1 * u64 * (u64 * Rabs d + Rabs dl) * Rabs (x i) + 3.1 * u64 * (Rabs d + Rabs dl) * Rabs (xl i)) by (unfold bounds; ring). rewrite EB in B.
  set (k2 := if two_parts then u64 else 0) in *. lra.
Qed.

Definition array_of (f : nat -> option R) (i : Z) : option R := f (Z.to_nat i).
Variables (n : Z) (high_size low : option R) (residuals0 : Z -> option R).
Definition norm1 : option R := norm_up (Z.of_nat r) (numbers f1).
Definition norm2 : option R := norm_up (Z.of_nat r) (numbers f2).
Definition norm3 : option R := norm_up (Z.of_nat r) f3.
Definition rounding_added (errors norm : option R) : option R := add_rounding bits_of number_of (fun _ => errors) (fun _ => norm) j j.
Definition errors_of_products : option R :=
  let first := rounding_added (first_errors bits_of number_of inexact n largest array) norm1 in rounding_added (if two_parts then rounding_added first norm2 else first) norm3.

(* Theorem: the numbers that the code keeps for a column are no smaller than the norm of the exact column of M Y - X D, and than that of its difference to the computed one. *)
Theorem residual_bounds : bound high_size (norm r x) -> bound low (norm r xl) -> norm m (fun k => y k + yl k) <= 3 / 2 ->
  let (errors, residuals) := bound_column bits_of number_of high_size (fun _ => low) (fun _ => errors_of_products) (fun _ => norm3) residuals0 (fun _ => Some d) (fun _ => Some dl) j in
  bound (residuals j) (norm r residual) /\ bound (errors j) (norm r (fun i => residual i - value (f3 (Z.of_nat i)))) /\ bound (residuals j) (norm r (fun i => value (f3 (Z.of_nat i)))) /\
  (residuals j <> None -> forall i, (i < r)%nat -> exists y, f3 (Z.of_nat i) = Some y /\ format64 y).
Proof.
  intros Bx Bl Hn. unfold bound_column. cbv zeta. unfold update. rewrite !Z.eqb_refl. cbn [xabs]. assert (Pe := bpow_gt_0 radix2 (-1075)). assert (U : 0 < u64) by (unfold u64; lra). destruct sizes as (Sr & Sm & Sl). change (2 ^ 45)%Z with 35184372088832%Z in Sl.
  assert (Small : (Z.of_nat r <= 2 ^ 50)%Z) by (change (2 ^ 50)%Z with 1125899906842624%Z; lia). destruct formats as (Fd & Fdl & Fx).
  assert (St1 : forall i, (i < r)%nat -> stored (numbers f1 (Z.of_nat i))) by (intros i Hi; unfold numbers; rewrite Nat2Z.id; split; [rewrite f1_right by exact Hi; apply rnd64_format | now apply finite]).
  assert (St2 : forall i, (i < r)%nat -> stored (numbers f2 (Z.of_nat i))).
  { intros i Hi. unfold numbers. rewrite Nat2Z.id. split; [|now apply finite]. rewrite f2_right by exact Hi. destruct two_parts; [apply rnd64_format | rewrite f1_right by exact Hi; apply rnd64_format]. }
  assert (St3 : forall i, (i < r)%nat -> stored (f3 (Z.of_nat i))).
  { intros i Hi. destruct (f3 (Z.of_nat i)) as [g|] eqn:E; [|exact I]. destruct (rest_near i g Hi E) as (rest & _ & -> & L & _). split; [apply rnd64_format | exact L]. }
  assert (N1 := proj1 (norm_up_bounds bits_of bits_right exponent_of exponent_right r (numbers f1) Small St1)). assert (N2 := proj1 (norm_up_bounds bits_of bits_right exponent_of exponent_right r (numbers f2) Small St2)).
  destruct (norm_up_bounds bits_of bits_right exponent_of exponent_right r f3 Small St3) as (N3 & Q3). fold norm1 in N1. fold norm2 in N2. fold norm3 in N3, Q3.
  rewrite (norm_equal r _ f1) in N1 by (intros; unfold numbers; now rewrite Nat2Z.id). rewrite (norm_equal r _ f2) in N2 by (intros; unfold numbers; now rewrite Nat2Z.id).
  set (fc := fun i => value (f3 (Z.of_nat i))) in *. assert (Rp : 0 <= IZR largest * pow (-1074)) by (apply Rmult_le_pos; [apply IZR_le; lia | apply bpow_ge_0]).
  set (terms := (u64 * Rabs d + Rabs dl) * norm r x + (Rabs d + Rabs dl) * norm r xl). assert (P1 := norm_positive r x). assert (P2 := norm_positive r xl). assert (P3 := Rabs_pos d). assert (P4 := Rabs_pos dl).
  assert (T0 : 0 <= (u64 * Rabs d + Rabs dl) * norm r x /\ 0 <= (Rabs d + Rabs dl) * norm r xl) by (split; apply Rmult_le_pos; try assumption; [assert (0 <= u64 * Rabs d) by (apply Rmult_le_pos; lra)|]; lra).
  set (base := (if inexact then 16 else 8) * (IZR largest * pow (-1074))). set (k2 := if two_parts then u64 else 0).
  assert (Base : bound (first_errors bits_of number_of inexact n largest array) base).
  { unfold first_errors, filled, base. destruct inexact; rewrite rd64_integer by (vm_compute; reflexivity).
    - rewrite <- Rmult_assoc. apply (underflow_right 16); [lia | change (2 ^ 45)%Z with 35184372088832%Z; lia].
    - rewrite <- Rmult_assoc. apply (underflow_right 8); [lia | change (2 ^ 45)%Z with 35184372088832%Z; lia]. }
  assert (Bu : bound (Some rounding_unit) u64) by (rewrite bounds_unit; apply bound_exact; [rewrite u64_bpow; apply format64_bpow; lia | lra]).
  assert (Add : forall e v z w, bound e z -> bound v w -> 0 <= w -> bound (rounding_added e v) (z + u64 * w)).
  { intros e v z w Be Bv Pw. unfold rounding_added, add_rounding. cbv zeta. unfold update. rewrite Z.eqb_refl. apply add_bound; [exact Be|]. apply mul_bound; [lra | exact Pw | exact Bu | exact Bv]. }
  assert (Be : bound errors_of_products (base + u64 * norm r f1 + k2 * norm r f2 + u64 * norm r fc)).
  { unfold errors_of_products, k2. cbv zeta. apply Add; [|exact N3 | apply norm_positive]. destruct two_parts.
    - apply Add; [|exact N2 | apply norm_positive]. apply Add; [exact Base | exact N1 | apply norm_positive].
    - rewrite Rmult_0_l, Rplus_0_r. apply Add; [exact Base | exact N1 | apply norm_positive]. }
  assert (Bt : bound (add_up (mul_up (add_up (mul_up (Some rounding_unit) (Some (Rabs d))) (Some (Rabs dl))) high_size) (mul_up (add_up (Some (Rabs d)) (Some (Rabs dl))) low)) terms).
  { assert (Bd : bound (Some (Rabs d)) (Rabs d)) by (apply bound_exact; [now apply generic_format_abs | exact P3]). assert (Bdl : bound (Some (Rabs dl)) (Rabs dl)) by (apply bound_exact; [now apply generic_format_abs | exact P4]).
    assert (Ud : 0 <= u64 * Rabs d) by (apply Rmult_le_pos; lra). apply add_bound; apply mul_bound; auto; try lra; apply add_bound; auto. apply mul_bound; auto; lra. }
  assert (Six : bound (Some (rd64 (IZR 6 * rounding_unit))) (6 * u64)).
  { rewrite bounds_unit. assert (E : rd64 (IZR 6 * u64) = 6 * u64).
    { apply rnd64_exact, generic_format_FLT. exists (Float radix2 6 (-53)); [unfold F2R; cbn [Fnum Fexp]; now rewrite u64_bpow | simpl; lia | cbn [Fexp]; lia]. }
    rewrite E. apply bound_exact; [rewrite <- E; apply rnd64_format | lra]. }
  match goal with |- context [add_up errors_of_products ?t] => assert (All : bound (add_up errors_of_products t) (base + u64 * norm r f1 + k2 * norm r f2 + u64 * norm r fc + 6 * u64 * terms)) by (apply add_bound; [exact Be | apply mul_bound; [lra | unfold terms; lra | exact Six | exact Bt]]);
    assert (Gone : norm3 = None -> add_up errors_of_products t = None) by (intros N; unfold errors_of_products, rounding_added, add_rounding; cbv zeta; unfold update; rewrite N, Z.eqb_refl; unfold OutwardSource.mul_up, OutwardSource.add_up, xadd, xmul, xtwo;
      destruct (if two_parts then _ else _); reflexivity); set (errors := add_up errors_of_products t) in * end. clearbody errors.
  assert (Both : bound (add_up norm3 errors) (norm r fc + (base + u64 * norm r f1 + k2 * norm r f2 + u64 * norm r fc + 6 * u64 * terms))) by (apply add_bound; [exact N3 | exact All]).
  destruct norm3 as [v3|] eqn:E3; [|rewrite (Gone eq_refl); split; [exact I|]; split; [exact I|]; split; [exact I | intros N; now elim N]]. specialize (Q3 ltac:(discriminate)).
  assert (Near : norm r (fun i => residual i - fc i) <= base + u64 * norm r f1 + k2 * norm r f2 + u64 * norm r fc + 6 * u64 * terms).
  { set (c := 8 * pow (-1075) + loss inexact * (sqrt (INR m) * (3 / 2))). assert (L0 : 0 <= loss inexact) by apply loss_positive. assert (Sq := sqrt_pos (INR r)). assert (Sy := sqrt_pos (INR m)).
    assert (C0 : 0 <= c) by (unfold c; assert (0 <= loss inexact * (sqrt (INR m) * (3 / 2))) by (apply Rmult_le_pos; lra); lra). assert (K0 : 0 <= k2) by (unfold k2; destruct two_parts; lra).
    set (g := fun i => u64 * Rabs (f1 i) + (k2 * Rabs (f2 i) + (u64 * Rabs (fc i) + (3.1 * u64 * (u64 * Rabs d + Rabs dl) * Rabs (x i) + (3.1 * u64 * (Rabs d + Rabs dl) * Rabs (xl i) + c))))).
    apply Rle_trans with (norm r g).
    - apply norm_monotone. intros i Hi. destruct (Q3 i Hi) as (v & Ev & _). assert (B := residual_near i v Hi Hn Ev). fold k2 c in B. unfold fc. rewrite Ev. cbn [value]. eapply Rle_trans; [exact B|].
      assert (G : g i = u64 * Rabs (f1 i) + (k2 * Rabs (f2 i) + (u64 * Rabs v + (3.1 * u64 * (u64 * Rabs d + Rabs dl) * Rabs (x i) + (3.1 * u64 * (Rabs d + Rabs dl) * Rabs (xl i) + c))))) by (unfold g, fc; now rewrite Ev).
      rewrite <- G. apply Rle_abs.
    - unfold g. assert (Ud : 0 <= u64 * Rabs d) by (apply Rmult_le_pos; lra). assert (D1 : 0 <= 3.1 * u64 * (u64 * Rabs d + Rabs dl)) by (apply Rmult_le_pos; lra). assert (D2 : 0 <= 3.1 * u64 * (Rabs d + Rabs dl)) by (apply Rmult_le_pos; lra).
      eapply Rle_trans; [apply norm_triangle|]. eapply Rle_trans; [apply Rplus_le_compat_l, norm_triangle|]. eapply Rle_trans; [do 2 apply Rplus_le_compat_l; apply norm_triangle|].
      eapply Rle_trans; [do 3 apply Rplus_le_compat_l; apply norm_triangle|]. eapply Rle_trans; [do 4 apply Rplus_le_compat_l; apply norm_triangle|].
      rewrite !norm_scaled, !norm_absolute, norm_constant by exact C0.
      rewrite (Rabs_pos_eq u64), (Rabs_pos_eq k2), (Rabs_pos_eq (3.1 * u64 * (u64 * Rabs d + Rabs dl))), (Rabs_pos_eq (3.1 * u64 * (Rabs d + Rabs dl))) by (assumption || lra).
      assert (Cc : sqrt (INR r) * c <= base).
      { unfold c, base, loss. assert (Root := root_below r). assert (E74 : pow (-1074) = 2 * pow (-1075)) by (change 2 with (pow 1); rewrite <- bpow_plus; reflexivity).
        assert (Lr : INR r <= IZR largest) by (rewrite INR_IZR_INZ; now apply IZR_le). assert (Lm : INR m <= IZR largest) by (rewrite INR_IZR_INZ; now apply IZR_le).
        assert (S2 : sqrt (INR r) * sqrt (INR m) <= IZR largest).
        { assert (Sl2 : 0 <= IZR largest) by (apply IZR_le; lia). rewrite <- (sqrt_sqrt (IZR largest)) by exact Sl2. apply Rmult_le_compat; try apply sqrt_pos; apply sqrt_le_1_alt; assumption. }
        assert (R1 : sqrt (INR r) * pow (-1075) <= IZR largest * pow (-1075)) by (apply Rmult_le_compat_r; lra). assert (R2 : sqrt (INR r) * sqrt (INR m) * pow (-1075) <= IZR largest * pow (-1075)) by (apply Rmult_le_compat_r; lra). rewrite E74 in *. destruct inexact.
        - replace (sqrt (INR r) * (8 * pow (-1075) + 2 * pow (-1075) * (sqrt (INR m) * (3 / 2)))) with (8 * (sqrt (INR r) * pow (-1075)) + 2 * (3 / 2) * (sqrt (INR r) * sqrt (INR m) * pow (-1075))) by ring. lra.
        - rewrite Rmult_0_l, Rplus_0_r. lra. }
      destruct T0 as (T1 & T2). set (t1 := (u64 * Rabs d + Rabs dl) * norm r x) in *. set (t2 := (Rabs d + Rabs dl) * norm r xl) in *. assert (V1 : 0 <= u64 * t1) by (apply Rmult_le_pos; lra). assert (V2 : 0 <= u64 * t2) by (apply Rmult_le_pos; lra).
      replace (3.1 * u64 * (u64 * Rabs d + Rabs dl) * norm r x) with (3.1 * (u64 * t1)) by (unfold t1; ring). replace (3.1 * u64 * (Rabs d + Rabs dl) * norm r xl) with (3.1 * (u64 * t2)) by (unfold t2; ring).
      unfold terms. lra. }
  split; [|split; [apply (bound_weaker _ _ _ All Near)|split; [|exact (fun _ => Q3)]]].
  - apply (bound_weaker _ _ _ Both). apply Rle_trans with (norm r (fun i => fc i + (residual i - fc i))); [right; apply norm_equal; intros; ring|]. eapply Rle_trans; [apply norm_triangle | lra].
  - apply (bound_weaker _ _ _ Both). assert (0 <= norm r (fun i => residual i - fc i)) by apply norm_positive. lra.
Qed.
End Residual.
End Bounds.
