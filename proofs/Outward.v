(* Outward rounding (lib/numerics/outward.hpp), and the radius of an unknown (docs/certified.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Rounding OutwardSource.

Open Scope R_scope.

Notation number64 := (number 53 (-1074)).
Definition infinity64 : Z := 9218868437227405312.

(* The next number. *)
Lemma number_next (n : Z) : (0 <= n < infinity64)%Z -> exists k l : Z,
  (0 <= l)%Z /\ (0 <= k < 2 ^ 53)%Z /\ number64 n = IZR k * pow (-1074 + l) /\ number64 (n + 1) = (IZR k + 1) * pow (-1074 + l).
Proof.
  intros Hn. assert (D := Z.div_mod n (2 ^ 52) ltac:(lia)). assert (M := Z.mod_pos_bound n (2 ^ 52) ltac:(lia)).
  set (q := (n / 2 ^ 52)%Z) in *. set (m := (n mod 2 ^ 52)%Z) in *.
  assert (Q : (0 <= q)%Z) by (apply Z.div_pos; lia).
  exists (if (q =? 0)%Z then m else 2 ^ 52 + m)%Z, (if (q =? 0)%Z then 0 else q - 1)%Z.
  destruct (Z.eqb_spec q 0) as [E|E].
  - split; [lia|]. split; [lia|].
    replace n with (0 * 2 ^ (53 - 1) + m)%Z by lia. rewrite <- Z.add_assoc, !number_value by lia. rewrite plus_IZR. auto.
  - split; [lia|]. split; [lia|].
    replace n with ((q - 1) * 2 ^ (53 - 1) + (2 ^ 52 + m))%Z by (change (2 ^ (53 - 1))%Z with (2 ^ 52)%Z; lia).
    rewrite <- Z.add_assoc, !number_value by lia. rewrite (plus_IZR (2 ^ 52 + m)). auto.
Qed.

Lemma next_above (n : Z) (z : R) : (0 <= n < infinity64)%Z -> rnd64 z = number64 n ->
  z <= number64 (n + 1) /\ ((0 < n)%Z -> number64 (n - 1) <= z).
Proof.
  intros Hn E.
  assert (Up : forall n, (0 <= n < infinity64)%Z -> rnd64 z = number64 n -> z <= number64 (n + 1)).
  { clear n Hn E. intros n Hn E. destruct (number_next n Hn) as (k & l & Hl & Hk & V & W). rewrite W.
    assert (H := error_le_half_ulp_round radix2 fexp64 (fun x => negb (Z.even x)) z). rewrite E in H.
    assert (P := bpow_gt_0 radix2 (-1074 + l)).
    assert (U : ulp radix2 fexp64 (number64 n) <= pow (-1074 + l)).
    { destruct (Req_dec (number64 n) 0) as [Z|N].
      - rewrite Z, ulp_FLT_0 by reflexivity. apply bpow_le. lia.
      - rewrite ulp_neq_0 by exact N. apply bpow_le. unfold cexp.
        assert (M : (mag radix2 (number64 n) <= -1074 + l + 53)%Z).
        { apply mag_le_bpow; [exact N|]. rewrite V, Rabs_pos_eq by (apply Rmult_le_pos; [apply IZR_le; lia | lra]).
          replace (-1074 + l + 53)%Z with (53 + (-1074 + l))%Z by lia. rewrite (bpow_plus radix2 53 (-1074 + l)).
          apply Rmult_lt_compat_r; [exact P|]. change (pow 53) with (IZR (2 ^ 53)). apply IZR_lt. lia. }
        unfold FLT_exp. lia. }
    apply Rabs_le_inv in H. rewrite V in *. lra. }
  split; [now apply Up|]. intros Hp. destruct (number_next (n - 1) ltac:(lia)) as (k & l & Hl & Hk & V & W).
  replace (n - 1 + 1)%Z with n in W by lia. rewrite V.
  (* k 2^(l - 1074) is in the format, and z rounds to a larger number *)
  apply Rnot_lt_le. intros L. assert (F : format64 (IZR k * pow (-1074 + l))).
  { apply generic_format_FLT. exists (Float radix2 k (-1074 + l)); [reflexivity| |].
    - change (Z.abs k < 2 ^ 53)%Z. lia.
    - cbn [Fexp]. lia. }
  assert (R := rnd64_le z (IZR k * pow (-1074 + l)) ltac:(lra)). rewrite (rnd64_exact _ F), E, W in R.
  assert (P := bpow_gt_0 radix2 (-1074 + l)). lra.
Qed.

Section Bits.
(* The bits of the finite numbers that are not negative, in order. *)
Variables (finite_number : R -> bool) (bits_of : R -> Z).
Hypothesis bits_right : forall x, finite_number x = true -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.

Notation above := (above finite_number bits_of number64).
Notation below := (below finite_number bits_of number64).
Notation add_up := (add_up finite_number bits_of number64).
Notation mul_up := (mul_up finite_number bits_of number64).
Notation div_up := (div_up finite_number bits_of number64).

Lemma above_rounded (z : R) : finite_number (rd64 z) = true -> z <= above (rd64 z).
Proof.
  intros F. destruct (bits_right _ F) as (B & V). unfold OutwardSource.above. rewrite F. change (wrap 64 1) with 1%Z.
  unfold infinity64 in B. rewrite wrap_small by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
  apply (next_above (bits_of (rd64 z)) z B). symmetry. exact V.
Qed.

Lemma below_rounded (z : R) : 0 <= z -> finite_number (rd64 z) = true -> below (rd64 z) <= z.
Proof.
  intros Z0 F. destruct (bits_right _ F) as (B & V). unfold OutwardSource.below. rewrite F.
  destruct (Rlt_bool_spec (IZR 0) (rd64 z)) as [L|L]; simpl andb; [|exact Z0]. change (wrap 64 1) with 1%Z.
  assert (N : (0 < bits_of (rd64 z))%Z).
  { destruct (Z.eq_dec (bits_of (rd64 z)) 0) as [Q|Q]; [|lia]. rewrite Q in V. rewrite <- V in L. exfalso.
    assert (H : number64 0 = 0 * pow (-1074 + 0)) by (apply (number_value 53 (-1074) 0 0); lia).
    rewrite Rmult_0_l in H. rewrite H in L. lra. }
  unfold infinity64 in B. rewrite wrap_small by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
  apply (next_above (bits_of (rd64 z)) z B); [symmetry; exact V | exact N].
Qed.

(* Theorem: the outward operations are no smaller than the exact ones (`below` no larger), while nothing overflows. *)
Theorem outward_operations (a b : R) : format64 a -> format64 b -> 0 <= a -> 0 <= b ->
  (finite_number (rd64 (a + b)) = true -> a + b <= add_up a b) /\
  (finite_number (rd64 (a * b)) = true -> a * b <= mul_up a b) /\
  (finite_number (rd64 (a / b)) = true -> a / b <= div_up a b).
Proof.
  intros Fa Fb A B. split; [|split].
  - intros F. unfold OutwardSource.add_up. cbv zeta. destruct (Req_bool_spec (rd64 (a + b)) (IZR 0)) as [E|E].
    + assert (H := rnd64_sum a b Fa Fb). change (rnd64 (a + b)) with (rd64 (a + b)) in H. rewrite E in H.
      rewrite (Rabs_pos_eq (a + b)) in H by lra. apply Rabs_le_inv in H. unfold u64 in H. lra.
    + now apply above_rounded.
  - intros F. now apply above_rounded.
  - intros F. now apply above_rounded.
Qed.

(* The certified solver's radius of one unknown i < n. The hypotheses are what docs/certified.md shows of the products: G
   bounds abs(I - R A), v the weights, p >= G v, w bounds abs(R q) for the exact residual q, and e is the error of y. *)
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

(* Theorem: the radius that the code computes from upper bounds `rest` of w, `product` of p, `contraction` of a and `size`
   of m is no smaller than the error, while nothing overflows. *)
Theorem radius_holds (n : nat) (G : nat -> nat -> R) (e v p w : nat -> R) (a m : R)
    (rest product : Z -> R) (lost size contraction : R) (i : nat) :
  (forall i, (i < n)%nat -> 0 < v i) -> (forall i j, 0 <= G i j) -> 0 <= a <= contraction -> 0 <= m <= size ->
  (forall i, (i < n)%nat -> Rabs (e i) <= w i + sum_to n (fun j => G i j * Rabs (e j))) ->
  (forall i, (i < n)%nat -> sum_to n (fun j => G i j * v j) <= p i) ->
  (forall i, (i < n)%nat -> p i <= a * v i) -> (forall i, (i < n)%nat -> w i <= m * v i) -> (i < n)%nat ->
  (* values that the code has *)
  lost <> 0 -> contraction < 1 -> 0 <= p i <= product (Z.of_nat i) -> w i <= rest (Z.of_nat i) -> 0 <= rest (Z.of_nat i) ->
  format64 (rest (Z.of_nat i)) ->
  let all := judge_all finite_number bits_of number64 lost size contraction in
  let gap := below (rd64 (1 - contraction)) in
  (* nothing overflows, and a gap is left *)
  finite_number (rd64 (1 - contraction)) = true -> 0 < gap -> finite_number (rd64 (size / gap)) = true ->
  finite_number (rd64 (product (Z.of_nat i) * all)) = true -> format64 (mul_up (product (Z.of_nat i)) all) ->
  finite_number (rd64 (rest (Z.of_nat i) + mul_up (product (Z.of_nat i)) all)) = true ->
  Rabs (e i) <= judge_radius finite_number bits_of number64 rest product lost all (Z.of_nat i).
Proof.
  intros V GP A M E P Q W Hi L C Pi Wi R0 Fr all gap F1 G0 F2 F3 Fm F4.
  assert (Ei := error_bound n G e v p w a m V GP ltac:(lra) ltac:(lra) E P Q W i Hi).
  assert (B : gap <= 1 - contraction) by (apply below_rounded; [lra | exact F1]).
  assert (Eall : all = above (rd64 (size / gap))).
  { unfold all, judge_all, OutwardSource.div_up. cbv zeta. now rewrite Req_bool_false by exact L. }
  assert (Ball : size / gap <= all) by (rewrite Eall; now apply above_rounded).
  assert (K : m / (1 - a) <= all).
  { eapply Rle_trans; [|exact Ball]. apply Rmult_le_reg_r with ((1 - a) * gap); [apply Rmult_lt_0_compat; lra|].
    replace (m / (1 - a) * ((1 - a) * gap)) with (m * gap) by (field; lra).
    replace (size / gap * ((1 - a) * gap)) with (size * (1 - a)) by (field; lra). apply Rmult_le_compat; lra. }
  assert (K0 : 0 <= m / (1 - a)) by (apply Rmult_le_pos; [lra | left; apply Rinv_0_lt_compat; lra]).
  assert (Pr : product (Z.of_nat i) * all <= mul_up (product (Z.of_nat i)) all) by now apply above_rounded.
  assert (Pq : p i * (m / (1 - a)) <= product (Z.of_nat i) * all) by (apply Rmult_le_compat; lra).
  assert (M0 : 0 <= p i * (m / (1 - a))) by (apply Rmult_le_pos; lra).
  unfold judge_radius. cbv zeta. rewrite Req_bool_false by exact L.
  assert (O := proj1 (outward_operations (rest (Z.of_nat i)) (mul_up (product (Z.of_nat i)) all) Fr Fm R0 ltac:(lra)) F4).
  unfold OutwardSource.add_up, OutwardSource.mul_up in *. cbv zeta in *. lra.
Qed.
End Bits.
