(* The test of positive definiteness (lib/certified/inverse.cpp: is_definite; docs/certified.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource Outward CertifiedSource Linear Certified.

Open Scope R_scope.

Section Bounds.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.

Notation add_up := (add_up bits_of number_of).
Notation mul_up := (mul_up bits_of number_of).
Notation summed := (summed bits_of).
Let add_bound := add_bound bits_of bits_right.
Let mul_bound := mul_bound bits_of bits_right.

(* M is the exact matrix, A the stored one, and X the elements of Q = Y Y^T, each rounded once. *)
Variables (n : nat) (M A X Q : nat -> nat -> R) (inexact : bool) (v p : nat -> R).
Notation loss := (loss inexact).
Hypothesis A_near : forall k j, (k < n)%nat -> (j < n)%nat -> Rabs (M k j - A k j) <= loss.
Hypothesis X_rounded : forall i k, (i < n)%nat -> (k < n)%nat -> X i k = rd64 (Q i k).
Hypothesis n_small : (Z.of_nat n <= 2 ^ 50)%Z.
Hypothesis v_good : forall j, (j < n)%nat -> format64 (v j) /\ 0 < v j.
Hypothesis p_good : forall i, (i < n)%nat -> format64 (p i) /\ 0 <= p i /\ sum_to n (fun j => Rabs (identity i j - sum_to n (fun k => X i k * M k j)) * v j) <= p i.

Let Av k := sum_to n (fun j => Rabs (A k j) * v j) + loss * sum_to n v.

Lemma loss_positive : 0 <= loss.
Proof. unfold Certified.loss. destruct inexact; [apply bpow_ge_0 | lra]. Qed.

Lemma v_sum : 0 <= sum_to n v.
Proof. apply sum_positive. intros j Hj. destruct (v_good j Hj). lra. Qed.

Lemma Av_positive (k : nat) : 0 <= Av k.
Proof.
  assert (L := loss_positive). assert (V := v_sum). assert (S : 0 <= sum_to n (fun j => Rabs (A k j) * v j)).
  { apply sum_positive. intros j Hj. destruct (v_good j Hj). apply Rmult_le_pos; [apply Rabs_pos | lra]. }
  assert (T := Rmult_le_pos _ _ L V). unfold Av. lra.
Qed.

Lemma M_bound (k : nat) : (k < n)%nat -> sum_to n (fun j => Rabs (M k j) * v j) <= Av k.
Proof.
  intros Hk. unfold Av. rewrite (Rmult_comm loss), <- sum_scaled, <- sum_plus. apply sum_monotone. intros j Hj. destruct (v_good j Hj) as (_ & V).
  assert (T := Rabs_triang (A k j) (M k j - A k j)). replace (A k j + (M k j - A k j)) with (M k j) in T by ring. assert (N := A_near k j Hk Hj).
  apply Rle_trans with ((Rabs (A k j) + loss) * v j); [apply Rmult_le_compat_r; lra | lra].
Qed.

(* What rounding Q moves. *)
Lemma moved_bound (i : nat) : (i < n)%nat ->
  sum_to n (fun j => Rabs (identity i j - sum_to n (fun k => Q i k * M k j)) * v j) <= p i + (u64 * sum_to n (fun k => Rabs (X i k) * Av k) + pow (-1074) * sum_to n Av).
Proof.
  intros Hi. destruct (p_good i Hi) as (_ & _ & P).
  assert (Near : forall k, (k < n)%nat -> Rabs (X i k - Q i k) <= u64 * Rabs (X i k) + pow (-1074)).
  { intros k Hk. assert (H := rounded_result (Q i k)). rewrite <- X_rounded, Rabs_minus_sym in H by assumption. assert (pow (-1075) <= pow (-1074)) by (apply bpow_le; lia). lra. }
  apply Rle_trans with (sum_to n (fun j => Rabs (identity i j - sum_to n (fun k => X i k * M k j)) * v j) + sum_to n (fun j => sum_to n (fun k => Rabs (X i k - Q i k) * (Rabs (M k j) * v j)))).
  - rewrite <- sum_plus. apply sum_monotone. intros j Hj. destruct (v_good j Hj) as (_ & V).
    replace (identity i j - sum_to n (fun k => Q i k * M k j)) with (identity i j - sum_to n (fun k => X i k * M k j) + sum_to n (fun k => (X i k - Q i k) * M k j)).
    + eapply Rle_trans; [apply Rmult_le_compat_r; [lra | apply Rabs_triang]|]. rewrite Rmult_plus_distr_r. apply Rplus_le_compat_l.
      eapply Rle_trans; [apply Rmult_le_compat_r; [lra | apply sum_absolute]|]. rewrite <- sum_scaled. apply sum_monotone. intros k Hk. rewrite Rabs_mult. right. ring.
    + rewrite (sum_equal n (fun k => (X i k - Q i k) * M k j) (fun k => X i k * M k j - Q i k * M k j)) by (intros; ring). rewrite sum_minus. ring.
  - apply Rplus_le_compat; [exact P|]. rewrite sum_exchanged.
    apply Rle_trans with (sum_to n (fun k => Rabs (X i k) * Av k * u64 + Av k * pow (-1074))).
    + apply sum_monotone. intros k Hk. rewrite (sum_equal n _ (fun j => Rabs (M k j) * v j * Rabs (X i k - Q i k))) by (intros; ring). rewrite sum_scaled.
      apply Rle_trans with (Av k * (u64 * Rabs (X i k) + pow (-1074))); [|right; ring]. apply Rmult_le_compat; [| apply Rabs_pos | now apply M_bound | now apply Near].
      apply sum_positive. intros j Hj. destruct (v_good j Hj). apply Rmult_le_pos; [apply Rabs_pos | lra].
    + rewrite sum_plus, !sum_scaled. right. ring.
Qed.

(* The arrays of the code. *)
Variables (av0 product : Z -> option R).
Hypothesis av0_right : forall k, (k < n)%nat -> summed n (fun j => Rabs (A k j) * v j) (av0 (Z.of_nat k)).
Hypothesis product_right : forall i, (i < n)%nat -> product (Z.of_nat i) = Some (p i).

Lemma sums_right : let (av, sum) := definite_sums bits_of number_of inexact (Z.of_nat n) (numbers v) av0 in
  (forall k, (k < n)%nat -> bound (av (Z.of_nat k)) (Av k)) /\ bound sum (sum_to n Av).
Proof.
  unfold definite_sums. cbv zeta. change (IZR 0) with 0. assert (Sv := sum_of_array bits_of bits_right n v ltac:(intros j Hj; destruct (v_good j Hj); split; [assumption | lra])).
  set (sum_v := for_up 0 (Z.of_nat n) (fun j s => add_up s (numbers v j)) (Some 0)) in *. clearbody sum_v. set (state := for_up 0 (Z.of_nat n) _ _).
  enough (R : let '(av, sum) := state in (forall k, (Z.of_nat n <= Z.of_nat k)%Z -> av (Z.of_nat k) = av0 (Z.of_nat k)) /\ (forall k, (Z.of_nat k < Z.of_nat n)%Z -> bound (av (Z.of_nat k)) (Av k)) /\
    bound sum (sum_to (Z.to_nat (Z.of_nat n)) Av)).
  { destruct state as (av, sum). rewrite Nat2Z.id in R. destruct R as (_ & R1 & R2). split; [intros k Hk; apply R1; lia | exact R2]. }
  apply (for_up_invariant (fun i s => let '(av, sum) := s in (forall k, (i <= Z.of_nat k)%Z -> av (Z.of_nat k) = av0 (Z.of_nat k)) /\ (forall k, (Z.of_nat k < i)%Z -> bound (av (Z.of_nat k)) (Av k)) /\
    bound sum (sum_to (Z.to_nat i) Av))).
  - lia.
  - split; [reflexivity|]. split; [intros; lia | apply bound_exact; [apply generic_format_0 | apply Rle_refl]].
  - intros k (av, sum) Hk (Rest & Done & Hs). set (i := Z.to_nat k). assert (Ek : k = Z.of_nat i) by lia. assert (Hi : (i < n)%nat) by lia. rewrite Ek in *.
    assert (B : bound (av0 (Z.of_nat i)) (sum_to n (fun j => Rabs (A i j) * v j))).
    { apply (summed_bound bits_of bits_right); [|exact n_small | now apply av0_right]. intros j Hj. destruct (v_good j Hj). apply Rmult_le_pos; [apply Rabs_pos | lra]. }
    assert (New : bound (if inexact then add_up (av0 (Z.of_nat i)) (mul_up (Some least_subnormal) sum_v) else av0 (Z.of_nat i)) (Av i)).
    { unfold Av, Certified.loss. destruct inexact; [|now rewrite Rmult_0_l, Rplus_0_r]. apply add_bound; [exact B|]. apply mul_bound; [apply bpow_ge_0 | apply v_sum | apply least_bound | exact Sv]. }
    assert (Cases : forall t, bound t (Av i) -> let '(a, s) := (update av (Z.of_nat i) t, add_up sum t) in (forall k, (Z.of_nat i + 1 <= Z.of_nat k)%Z -> a (Z.of_nat k) = av0 (Z.of_nat k)) /\
      (forall k, (Z.of_nat k < Z.of_nat i + 1)%Z -> bound (a (Z.of_nat k)) (Av k)) /\ bound s (sum_to (Z.to_nat (Z.of_nat i + 1)) Av)).
    { intros t Ht. split; [|split].
      - intros j Hj. unfold update. destruct (Z.eqb_spec (Z.of_nat j) (Z.of_nat i)); [lia|]. apply Rest. lia.
      - intros j Hj. unfold update. destruct (Z.eqb_spec (Z.of_nat j) (Z.of_nat i)); [replace j with i by lia; exact Ht | apply Done; lia].
      - replace (Z.to_nat (Z.of_nat i + 1)) with (S (Z.to_nat (Z.of_nat i))) by lia. cbn [sum_to]. rewrite Nat2Z.id in *. now apply add_bound. }
    destruct inexact.
    + cbv zeta. replace (update av (Z.of_nat i) (add_up (av (Z.of_nat i)) (mul_up (Some least_subnormal) sum_v)) (Z.of_nat i)) with (add_up (av0 (Z.of_nat i)) (mul_up (Some least_subnormal) sum_v))
        by (unfold update; rewrite Z.eqb_refl, Rest by lia; reflexivity). rewrite (Rest i) by lia. exact (Cases _ New).
    + assert (E := Cases _ New). cbv zeta. replace (av (Z.of_nat i)) with (av0 (Z.of_nat i)) by (symmetry; apply Rest; lia). split; [|split]; [| |apply E].
      * intros j Hj. apply Rest. lia.
      * intros j Hj. destruct (Nat.eq_dec j i) as [->|N]; [rewrite Rest by lia; exact New | apply Done; lia].
Qed.

(* Theorem: if the test passes, abs(I - Q M) v < v, element by element. *)
Theorem definite_rows (rav : Z -> option R) :
  let (av, sum) := definite_sums bits_of number_of inexact (Z.of_nat n) (numbers v) av0 in
  (forall i, (i < n)%nat -> exists w, (forall k, (k < n)%nat -> av (Z.of_nat k) = Some (w k)) /\ summed n (fun k => Rabs (X i k) * w k) (rav (Z.of_nat i))) ->
  definite_test bits_of number_of (Z.of_nat n) sum rav product (numbers v) = true ->
  forall i, (i < n)%nat -> sum_to n (fun j => Rabs (identity i j - sum_to n (fun k => Q i k * M k j)) * v j) < v i.
Proof.
  assert (H := sums_right). destruct (definite_sums _ _ _ _ _ _) as (av, sum). destruct H as (Ha & Hs). intros Hr Ht i Hi. unfold definite_test in Ht. cbv zeta in Ht.
  set (state := for_up 0 (Z.of_nat n) _ _) in Ht.
  assert (S : match state with Some b => b = false | None => forall j, (Z.of_nat j < Z.of_nat n)%Z -> xlt (div_up bits_of number_of (add_up (product (Z.of_nat j))
    (add_up (mul_up (Some inverse_roundoff) (rav (Z.of_nat j))) (mul_up (Some least_subnormal) sum))) (numbers v (Z.of_nat j))) (Some (IZR 1)) = true end).
  { apply (for_up_invariant (fun k s => match s with Some b => b = false | None => forall j, (Z.of_nat j < k)%Z -> xlt (div_up bits_of number_of (add_up (product (Z.of_nat j))
      (add_up (mul_up (Some inverse_roundoff) (rav (Z.of_nat j))) (mul_up (Some least_subnormal) sum))) (numbers v (Z.of_nat j))) (Some (IZR 1)) = true end)).
    - lia.
    - intros j Hj. lia.
    - intros k [b|] Hk Hs'; [exact Hs'|]. destruct (xlt _ _) eqn:E; cbn [negb]; [|reflexivity]. intros j Hj. destruct (Z.eq_dec (Z.of_nat j) k) as [->|N]; [exact E | apply Hs'; lia]. }
  destruct state as [b|]; [congruence|]. clear Ht. specialize (S i ltac:(lia)). destruct (Hr i Hi) as (w & Hw & Hrav). destruct (v_good i Hi) as (_ & Pv). destruct (p_good i Hi) as (Fp & P0 & _).
  assert (Wk : forall k, (k < n)%nat -> Av k <= w k /\ 0 <= w k) by (intros k Hk; specialize (Ha k Hk); rewrite (Hw k Hk) in Ha; destruct Ha as (_ & H1 & H2); auto).
  assert (Br : bound (rav (Z.of_nat i)) (sum_to n (fun k => Rabs (X i k) * Av k))).
  { apply bound_weaker with (sum_to n (fun k => Rabs (X i k) * w k)).
    - apply (summed_bound bits_of bits_right); [|exact n_small | exact Hrav]. intros k Hk. apply Rmult_le_pos; [apply Rabs_pos | now apply Wk].
    - apply sum_monotone. intros k Hk. apply Rmult_le_compat_l; [apply Rabs_pos | now apply Wk]. }
  assert (A0 : 0 <= sum_to n Av) by (apply sum_positive; intros; apply Av_positive). assert (A1 : 0 <= sum_to n (fun k => Rabs (X i k) * Av k)) by (apply sum_positive; intros; apply Rmult_le_pos; [apply Rabs_pos | apply Av_positive]).
  assert (B := div_bound bits_of bits_right (add_up (product (Z.of_nat i)) (add_up (mul_up (Some inverse_roundoff) (rav (Z.of_nat i))) (mul_up (Some least_subnormal) sum)))
    (p i + (u64 * sum_to n (fun k => Rabs (X i k) * Av k) + pow (-1074) * sum_to n Av)) (v i) Pv).
  replace (numbers v (Z.of_nat i)) with (Some (v i)) in S by (unfold numbers; now rewrite Nat2Z.id). destruct (div_up bits_of number_of _ (Some (v i))) as [t|]; [|discriminate]. cbn [xlt] in S. destruct (Rlt_bool_spec t (IZR 1)) as [T|]; [|discriminate].
  destruct B as (_ & _ & B).
  { apply add_bound; [rewrite product_right by exact Hi; now apply bound_exact|]. apply add_bound; apply mul_bound; auto; [unfold u64; lra | | apply bpow_ge_0 | apply least_bound].
    rewrite inverse_unit. apply bound_exact; [rewrite u64_bpow; apply format64_bpow; lia | unfold u64; lra]. }
  eapply Rle_lt_trans; [now apply moved_bound|]. set (total_ := p i + _) in *. replace total_ with (total_ / v i * v i) by (field; lra). apply Rlt_le_trans with (1 * v i); [apply Rmult_lt_compat_r; lra | lra].
Qed.

End Bounds.
