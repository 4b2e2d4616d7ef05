(* Sums of matrices and vectors, and the bound of the error of a linear system by a contraction (docs/certified.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource Outward.

Open Scope R_scope.

(* Sums f(0) + ... + f(n - 1). *)
Fixpoint sum_to (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => sum_to m f + f m end.

Lemma sum_monotone (n : nat) (f g : nat -> R) : (forall i, (i < n)%nat -> f i <= g i) -> sum_to n f <= sum_to n g.
Proof.
  induction n as [|n IH]; intros H; [apply Rle_refl|]. simpl. apply Rplus_le_compat; [apply IH; intros; apply H; lia | apply H; lia].
Qed.

Lemma sum_scaled (n : nat) (f : nat -> R) (c : R) : sum_to n (fun i => f i * c) = sum_to n f * c.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.

(* The largest ratio. *)
Lemma largest_ratio (n : nat) (e v : nat -> R) : (forall i, (i < n)%nat -> 0 < v i) ->
  exists t, 0 <= t /\ (forall i, (i < n)%nat -> Rabs (e i) <= t * v i) /\ (t = 0 \/ exists i, (i < n)%nat /\ Rabs (e i) = t * v i).
Proof.
  induction n as [|n IH]; intros V.
  - exists 0. split; [lra|]. split; [intros; lia | now left].
  - destruct IH as (t & T & B & A); [intros; apply V; lia|]. assert (Vn := V n ltac:(lia)).
    assert (E : Rabs (e n) / v n * v n = Rabs (e n)) by (field; lra).
    destruct (Rle_or_lt (Rabs (e n) / v n) t) as [L|L].
    + exists t. split; [exact T|]. split.
      * intros i Hi. destruct (Nat.eq_dec i n) as [->|N]; [rewrite <- E; apply Rmult_le_compat_r; lra | apply B; lia].
      * destruct A as [A|(i & Hi & A)]; [now left | right; exists i; split; [lia | exact A]].
    + exists (Rabs (e n) / v n). split; [lra|]. split.
      * intros i Hi. destruct (Nat.eq_dec i n) as [->|N]; [lra|]. assert (Bi := B i ltac:(lia)).
        assert (Vi := V i ltac:(lia)). nra.
      * right. exists n. split; [lia | now rewrite E].
Qed.

Lemma error_bound (n : nat) (G : nat -> nat -> R) (e v p w : nat -> R) (a m : R) :
  (forall i, (i < n)%nat -> 0 < v i) -> (forall i j, 0 <= G i j) -> 0 <= a < 1 -> 0 <= m ->
  (forall i, (i < n)%nat -> Rabs (e i) <= w i + sum_to n (fun j => G i j * Rabs (e j))) ->
  (forall i, (i < n)%nat -> sum_to n (fun j => G i j * v j) <= p i) ->
  (forall i, (i < n)%nat -> p i <= a * v i) -> (forall i, (i < n)%nat -> w i <= m * v i) ->
  forall i, (i < n)%nat -> Rabs (e i) <= w i + p i * (m / (1 - a)).
Proof.
  intros V GP A M E P Q W. destruct (largest_ratio n e v V) as (t & T & B & C).
  assert (S : forall i, (i < n)%nat -> sum_to n (fun j => G i j * Rabs (e j)) <= p i * t).
  { intros i Hi. apply Rle_trans with (sum_to n (fun j => G i j * v j * t)).
    - apply sum_monotone. intros j Hj. rewrite Rmult_assoc. apply Rmult_le_compat_l; [apply GP|]. rewrite Rmult_comm. now apply B.
    - rewrite sum_scaled. apply Rmult_le_compat_r; [exact T | now apply P]. }
  assert (D : t <= m / (1 - a)).
  { assert (X : t * (1 - a) <= m).
    { destruct C as [->|(i & Hi & C)]; [lra|]. assert (Vi := V i Hi). assert (Ei := E i Hi). assert (Si := S i Hi).
      assert (Qi := Q i Hi). assert (Wi := W i Hi). rewrite C in Ei. apply Rmult_le_reg_r with (v i); [exact Vi|].
      assert (p i * t <= a * v i * t) by now apply Rmult_le_compat_r. lra. }
    apply Rmult_le_reg_r with (1 - a); [lra|]. replace (m / (1 - a) * (1 - a)) with m by (field; lra). exact X. }
  intros i Hi. eapply Rle_trans; [now apply E|]. apply Rplus_le_compat_l. eapply Rle_trans; [now apply S|].
  apply Rmult_le_compat_l; [|exact D]. apply Rle_trans with (sum_to n (fun j => G i j * v j)); [|now apply P].
  apply Rle_trans with (sum_to n (fun j => 0)); [clear; induction n; simpl; lra|].
  apply sum_monotone. intros j Hj. apply Rmult_le_pos; [apply GP | left; now apply V].
Qed.

Lemma sum_plus (n : nat) (f g : nat -> R) : sum_to n (fun i => f i + g i) = sum_to n f + sum_to n g.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_minus (n : nat) (f g : nat -> R) : sum_to n (fun i => f i - g i) = sum_to n f - sum_to n g.
Proof. induction n as [|n IH]; simpl; [ring|]. rewrite IH. ring. Qed.

Lemma sum_equal (n : nat) (f g : nat -> R) : (forall i, (i < n)%nat -> f i = g i) -> sum_to n f = sum_to n g.
Proof. intros H. apply Rle_antisym; apply sum_monotone; intros i Hi; rewrite (H i Hi); apply Rle_refl. Qed.

Lemma sum_zero (n : nat) : sum_to n (fun _ => 0) = 0.
Proof. induction n as [|n IH]; simpl; [reflexivity|]. rewrite IH. ring. Qed.

Lemma sum_positive (n : nat) (f : nat -> R) : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum_to n f.
Proof. intros H. rewrite <- (sum_zero n). now apply sum_monotone. Qed.

Lemma sum_term (n : nat) (f : nat -> R) (i : nat) : (forall i, (i < n)%nat -> 0 <= f i) -> (i < n)%nat -> f i <= sum_to n f.
Proof.
  induction n as [|n IH]; intros H Hi; [lia|]. simpl. assert (P := sum_positive n f ltac:(intros; apply H; lia)). assert (Q := H n ltac:(lia)).
  destruct (Nat.eq_dec i n) as [->|N]; [lra|]. assert (T := IH ltac:(intros; apply H; lia) ltac:(lia)). lra.
Qed.

Lemma sum_absolute (n : nat) (f : nat -> R) : Rabs (sum_to n f) <= sum_to n (fun i => Rabs (f i)).
Proof. induction n as [|n IH]; simpl; [rewrite Rabs_R0; lra|]. eapply Rle_trans; [apply Rabs_triang | lra]. Qed.

Lemma sum_exchanged (m n : nat) (f : nat -> nat -> R) : sum_to m (fun i => sum_to n (f i)) = sum_to n (fun j => sum_to m (fun i => f i j)).
Proof. induction m as [|m IH]; simpl; [now rewrite sum_zero|]. now rewrite IH, <- sum_plus. Qed.

Lemma sum_first (n : nat) (f : nat -> R) : sum_to (S n) f = f O + sum_to n (fun i => f (S i)).
Proof. induction n as [|n IH]; [simpl; ring|]. change (sum_to (S (S n)) f) with (sum_to (S n) f + f (S n)). rewrite IH. simpl. ring. Qed.

Definition identity (i j : nat) : R := if Nat.eqb i j then 1 else 0.
Lemma sum_identity (n i : nat) (f : nat -> R) : (i < n)%nat -> sum_to n (fun j => identity i j * f j) = f i.
Proof.
  unfold identity. intros Hi. induction n as [|n IH]; [lia|]. simpl. destruct (Nat.eq_dec i n) as [->|N].
  - rewrite Nat.eqb_refl. rewrite (sum_equal n _ (fun _ => 0)), sum_zero; [ring|]. intros j Hj. destruct (Nat.eqb_spec n j); [lia | ring].
  - rewrite IH by lia. destruct (Nat.eqb_spec i n); [lia | ring].
Qed.

(* A rounding, by its result. *)
Lemma rounded_result (z : R) : Rabs (z - rd64 z) <= u64 * Rabs (rd64 z) + pow (-1075).
Proof.
  rewrite Rabs_minus_sym. assert (H := error_le_half_ulp_round radix2 fexp64 (fun x => negb (Z.even x)) z). change (round radix2 fexp64 _ z) with (rd64 z) in H.
  eapply Rle_trans; [exact H|]. assert (P := Rabs_pos (rd64 z)). assert (B := bpow_gt_0 radix2 (-1075)).
  assert (Half : / 2 * pow (-1074) = pow (-1075)) by (change (/ 2) with (pow (-1)); rewrite <- bpow_plus; reflexivity).
  destruct (Rle_or_lt (pow (-1074 + 53 - 1)) (Rabs (rd64 z))) as [L|L].
  - assert (U := ulp_FLT_le radix2 (-1074) 53 (rd64 z) L). change (pow (1 - 53)) with (pow (-52)) in U.
    assert (E : pow (-52) = 2 * u64) by (rewrite u64_bpow; change 2 with (pow 1); rewrite <- bpow_plus; reflexivity). rewrite E in U.
    change (ulp radix2 (FLT_exp (-1074) 53)) with (ulp radix2 fexp64) in U. lra.
  - assert (U : ulp radix2 (FLT_exp (-1074) 53) (rd64 z) = pow (-1074)).
    { apply ulp_FLT_small; [reflexivity|]. eapply Rlt_trans; [exact L|]. apply bpow_lt. lia. }
    change (ulp radix2 (FLT_exp (-1074) 53)) with (ulp radix2 fexp64) in U. rewrite U, Half. assert (0 <= u64 * Rabs (rd64 z)) by (apply Rmult_le_pos; unfold u64; lra). lra.
Qed.

Lemma one_and_two (u : R) : u = u64 -> rd64 (IZR 1 + rd64 (IZR 2 * u)) = 1 + 2 * u64.
Proof.
  intros ->. assert (E : IZR 2 * u64 = pow (-52)) by (rewrite u64_bpow; change (IZR 2) with (pow 1); rewrite <- bpow_plus; reflexivity).
  rewrite E. rewrite (rnd64_exact (pow (-52)) (format64_bpow (-52) ltac:(lia)) : rd64 (pow (-52)) = pow (-52)). rewrite one_and_power by lia. rewrite <- E. reflexivity.
Qed.

(* Arrays of numbers, as functions of the code's index. *)
Definition numbers (f : nat -> R) (i : Z) : option R := Some (f (Z.to_nat i)).

Section Bounds.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.

Notation add_up := (add_up bits_of number_of).
Notation sum_up := (sum_up bits_of number_of).

(* What row_sums_up (lib/certified/calls.cpp) makes of n products f(j) >= 0, added up in any order: no number if a sum is infinite. *)
Definition summed (n : nat) (f : nat -> R) (x : option R) : Prop :=
  x = None \/ exists leaves sum, Permutation leaves (map (fun j => rnd64 (f j)) (seq 0 n)) /\ adds leaves sum /\ x = sum_up (Some sum) (Z.of_nat n).

Lemma total_seq (n : nat) (f : nat -> R) : total (map f (seq 0 n)) = sum_to n f.
Proof. induction n as [|n IH]; [reflexivity|]. rewrite seq_S, map_app, total_app, IH. unfold total, sum_of. simpl. ring. Qed.

Lemma summed_bound (n : nat) (f : nat -> R) (x : option R) : (forall j, (j < n)%nat -> 0 <= f j) -> (Z.of_nat n <= 2 ^ 50)%Z -> summed n f x -> bound x (sum_to n f).
Proof.
  intros Hf Hn [->|(leaves & sum & Hp & Ha & ->)]; [exact I|].
  assert (B := sum_up_bounds bits_of bits_right (map (fun j => (f j, rnd64 (f j))) (seq 0 n)) leaves sum (Z.of_nat n)).
  rewrite !map_map, map_length, seq_length in B. cbn [fst snd] in B. rewrite total_seq in B. apply B; auto; [|lia].
  unfold rounded_once. rewrite Forall_map, Forall_forall. intros j Hj. apply in_seq in Hj. cbn [fst snd]. split; [apply Hf; lia | reflexivity].
Qed.

(* A bound of a constant. *)
Lemma least_bound : bound (Some least_subnormal) (pow (-1074)).
Proof. apply bound_exact; [apply format64_bpow; lia | apply bpow_ge_0]. Qed.

Lemma factor_bound (u : R) : u = u64 -> bound (Some (rd64 (IZR 1 + rd64 (IZR 2 * u)))) (1 + 2 * u64).
Proof.
  intros E. assert (V := one_and_two u E). rewrite <- V. apply bound_exact; [apply rnd64_format|]. rewrite V. unfold u64. lra.
Qed.

(* The sum of an array. *)
Lemma sum_of_array (n : nat) (v : nat -> R) : (forall j, (j < n)%nat -> format64 (v j) /\ 0 <= v j) ->
  bound (for_up 0 (Z.of_nat n) (fun j s => add_up s (numbers v j)) (Some 0)) (sum_to n v).
Proof.
  intros H. assert (Q : bound (for_up 0 (Z.of_nat n) (fun j s => add_up s (numbers v j)) (Some 0)) (sum_to (Z.to_nat (Z.of_nat n)) v)); [|now rewrite Nat2Z.id in Q].
  apply (for_up_invariant (fun j s => bound s (sum_to (Z.to_nat j) v))).
  - lia.
  - apply bound_exact; [apply generic_format_0 | apply Rle_refl].
  - intros j t Hj B. replace (Z.to_nat (j + 1)) with (S (Z.to_nat j)) by lia. cbn [sum_to]. apply (add_bound bits_of bits_right); [exact B|].
    destruct (H (Z.to_nat j) ltac:(lia)) as (F & P). now apply bound_exact.
Qed.

End Bounds.
