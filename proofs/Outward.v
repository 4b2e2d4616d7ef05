(* Outward rounding (lib/numerics/outward.hpp), and the radius of an unknown (docs/certified.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Rounding Sums OutwardSource.

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

Notation sum_up := (sum_up finite_number bits_of number64).
Notation scale_up := (scale_up finite_number bits_of number64).

(* Products or numbers, each with what the code adds for it: rounded once. *)
Definition rounded_once (terms : list (R * R)) : Prop := Forall (fun t => 0 <= fst t /\ snd t = rnd64 (fst t)) terms.

Lemma exact_total (terms : list (R * R)) : rounded_once terms ->
  lower * total (map fst terms) <= total (map snd terms) + INR (length terms) * pow (-1075) /\ 0 <= total (map fst terms).
Proof.
  intros H. induction H as [|t terms (P & V) _ (I & I0)]; [unfold total, sum_of; cbn [map fold_right length]; change (INR 0) with 0; rewrite Rmult_0_l; lra|]. cbn [map length]. rewrite S_INR.
  change (total (fst t :: map fst terms)) with (total (map fst terms) + fst t). change (total (snd t :: map snd terms)) with (total (map snd terms) + snd t).
  assert (B := rnd64_error (fst t)). rewrite (Rabs_pos_eq (fst t)) in B by exact P. apply Rabs_le_inv in B. rewrite <- V in B.
  assert (E : u64 * normal64 = pow (-1075)) by (rewrite u64_bpow; unfold normal64; rewrite <- bpow_plus; reflexivity). rewrite E in B. lra.
Qed.

(* Theorem: sum_up of a sum in doubles, in any order, of at most `terms` rounded products is no smaller than the exact sum, while nothing overflows. *)
Theorem sum_up_bounds (xs : list (R * R)) (leaves : list R) (sum : R) (terms : Z) : rounded_once xs -> Permutation leaves (map snd xs) -> adds leaves sum ->
  (Z.of_nat (length xs) <= terms <= 2 ^ 50)%Z ->
  let factor := above (rd64 (1 + rd64 (IZR terms * pow (-52)))) in
  finite_number (rd64 (1 + rd64 (IZR terms * pow (-52)))) = true -> finite_number (rd64 (sum * factor)) = true -> finite_number (rd64 (IZR terms * pow (-1074))) = true ->
  format64 (mul_up sum factor) -> format64 (mul_up (IZR terms) (pow (-1074))) -> 0 <= mul_up (IZR terms) (pow (-1074)) -> 0 <= mul_up sum factor ->
  finite_number (rd64 (mul_up sum factor + mul_up (IZR terms) (pow (-1074)))) = true ->
  total (map fst xs) <= sum_up sum terms.
Proof.
  intros Hx Hp Ha Hn factor F1 F2 F3 F4 F5 P5 P4 F6. change (2 ^ 50)%Z with 1125899906842624%Z in Hn. assert (L := lower_range).
  assert (Lf : Forall (fun x => 0 <= x /\ format64 x) leaves).
  { rewrite Forall_forall. intros x I. apply (Permutation_in x Hp) in I. apply in_map_iff in I as (t & <- & I). unfold rounded_once in Hx. rewrite Forall_forall in Hx. destruct (Hx t I) as (P & ->). split; [now apply rnd64_nonnegative | apply rnd64_format]. }
  destruct (adds_lower leaves sum Ha Lf) as (S0 & Fs & T0 & _ & B). rewrite (total_permutation _ _ Hp) in *. destruct (exact_total xs Hx) as (I & I0).
  set (T := total (map fst xs)) in *. set (V := total (map snd xs)) in *. set (n := length xs) in *. assert (N : INR n <= IZR terms) by (rewrite INR_IZR_INZ; apply IZR_le; unfold n; lia).
  assert (K0 : 0 <= IZR terms) by (apply IZR_le; lia). assert (K1 : IZR terms <= 1125899906842624) by (apply IZR_le; lia). assert (U : 0 < u64) by (unfold u64; lra).
  assert (Ex : rd64 (IZR terms * pow (-52)) = 2 * IZR terms * u64).
  { replace (2 * IZR terms * u64) with (IZR terms * pow (-52)) by (unfold u64; simpl; lra). apply rnd64_exact, format64_scaled; [|].
    - rewrite <- (rd64_integer terms) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). apply rnd64_format.
    - destruct (Z.eq_dec terms 0) as [->|Nz]; [now left | right]. assert (1 <= IZR terms) by (apply IZR_le; lia). rewrite Rabs_pos_eq by lra. apply Rle_trans with (pow (-52)); [apply bpow_le; lia|]. assert (Q := bpow_gt_0 radix2 (-52)). nra. }
  assert (Fac : 1 + 2 * IZR terms * u64 <= factor) by (unfold factor; rewrite Ex in *; now apply above_rounded).
  assert (Len : (nonzeros leaves <= n)%nat).
  { unfold n. rewrite <- (map_length snd xs), <- (Permutation_length Hp). unfold nonzeros. clear. induction leaves as [|x l IH]; simpl; [lia|]. destruct (negb _); simpl; lia. }
  (* (1 - u)^n V <= sum, and the factor pays for it and for the products *)
  assert (Be : forall m, 1 - INR m * u64 <= lower ^ m).
  { clear - U. intros m. induction m as [|m IH]; [simpl; lra|]. rewrite S_INR. simpl (lower ^ S m). assert (0 <= INR m) by apply pos_INR. assert (L := lower_range). assert (Q : lower * (1 - INR m * u64) <= lower * lower ^ m) by (apply Rmult_le_compat_l; lra). nra. }
  assert (Pay : V <= lower * (sum * factor)).
  { assert (Ks : IZR terms * u64 <= / 8) by (unfold u64; lra). destruct (nonzeros leaves) as [|m] eqn:Em.
    - assert (V = 0). { destruct (adds_lower leaves sum Ha Lf) as (_ & _ & _ & Z0 & _). rewrite (total_permutation _ _ Hp) in Z0. now destruct (Z0 Em). }
      assert (0 <= sum * factor) by (apply Rmult_le_pos; [exact S0 | nra]). nra.
    - cbn [Nat.pred] in B. assert (M : INR (S m) <= IZR terms) by (eapply Rle_trans; [apply le_INR; exact Len | exact N]). rewrite S_INR in M. assert (Bm := Be m). assert (M0 := pos_INR m).
      assert (Bm' : 1 - (IZR terms - 1) * u64 <= lower ^ m) by nra. assert (A1 : (1 - (IZR terms - 1) * u64) * V <= sum) by (eapply Rle_trans; [|exact B]; apply Rmult_le_compat_r; assumption).
      assert (C : 1 <= lower * ((1 - (IZR terms - 1) * u64) * (1 + 2 * IZR terms * u64))).
      { assert (t1 : 1 <= IZR terms) by lra. set (t := IZR terms) in *. assert (q : t * u64 * (t * u64) <= / 8 * (t * u64)) by (apply Rmult_le_compat_r; nra).
        assert (C1 : 1 + u64 + (t * u64 - 2 * (t * u64 * (t * u64))) <= (1 - (t - 1) * u64) * (1 + 2 * t * u64)) by nra. assert (C2 : u64 <= t * u64) by nra. assert (C3 : 1 + u64 + 3 / 4 * u64 <= (1 - (t - 1) * u64) * (1 + 2 * t * u64)) by nra.
        assert (C4 : lower * (1 + u64 + 3 / 4 * u64) <= lower * ((1 - (t - 1) * u64) * (1 + 2 * t * u64))) by (apply Rmult_le_compat_l; lra). apply Rle_trans with (lower * (1 + u64 + 3 / 4 * u64)); [unfold u64; lra | exact C4]. }
      assert (A2 : (1 - (IZR terms - 1) * u64) * V * (1 + 2 * IZR terms * u64) <= sum * factor) by (apply Rmult_le_compat; try assumption; [apply Rmult_le_pos; nra | nra]).
      apply Rle_trans with (lower * ((1 - (IZR terms - 1) * u64) * V * (1 + 2 * IZR terms * u64))); [|apply Rmult_le_compat_l; lra].
      replace (lower * ((1 - (IZR terms - 1) * u64) * V * (1 + 2 * IZR terms * u64))) with (lower * ((1 - (IZR terms - 1) * u64) * (1 + 2 * IZR terms * u64)) * V) by ring.
      rewrite <- (Rmult_1_l V) at 1. apply Rmult_le_compat_r; [exact T0 | exact C]. }
  assert (M1 : sum * factor <= mul_up sum factor) by now apply above_rounded. assert (M2 : IZR terms * pow (-1074) <= mul_up (IZR terms) (pow (-1074))) by now apply above_rounded.
  assert (Ad := proj1 (outward_operations _ _ F4 F5 P4 P5) F6).
  assert (Es : sum_up sum terms = add_up (mul_up sum factor) (mul_up (IZR terms) (pow (-1074)))).
  { unfold OutwardSource.sum_up, least_subnormal. cbv zeta. rewrite (rd64_integer terms) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). unfold factor. replace (IZR 1 / IZR 4503599627370496) with (pow (-52)) by (simpl; lra). reflexivity. }
  rewrite Es. eapply Rle_trans; [|exact Ad]. replace (pow (-1074)) with (2 * pow (-1075)) in * by (change 2 with (pow 1); rewrite <- bpow_plus; reflexivity).
  assert (Pt := bpow_gt_0 radix2 (-1075)). assert (N2 : INR n * pow (-1075) <= IZR terms * pow (-1075)) by (apply Rmult_le_compat_r; lra).
  assert (Half : 3 / 4 <= lower) by (unfold u64; lra). assert (X0 : 0 <= IZR terms * pow (-1075)) by (apply Rmult_le_pos; lra).
  apply Rmult_le_reg_l with lower; [lra|]. assert (W : lower * (IZR terms * (2 * pow (-1075))) >= INR n * pow (-1075)) by nra.
  assert (Y : lower * (sum * factor + IZR terms * (2 * pow (-1075))) <= lower * (mul_up sum factor + mul_up (IZR terms) (2 * pow (-1075)))) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(* Theorem: scale_up is no smaller than x 2^e, while nothing overflows. *)
Theorem scale_up_bounds (x : R) (e : Z) : format64 x -> 0 <= x -> finite_number (rd64 (x * pow e)) = true -> x * pow e <= scale_up x e.
Proof.
  intros Fx Hx F. unfold OutwardSource.scale_up, scale_double. cbv zeta. destruct (Req_bool_spec (rd64 (rd64 (x * pow e) * pow (- e))) x) as [E|E]; [|now apply above_rounded].
  assert (Scale : forall y n, format64 y -> (0 <= n)%Z -> format64 (y * pow n)).
  { intros y n Fy Hn. apply FLT_format_generic in Fy; [|reflexivity]. destruct Fy as [(m, f) Em Hm Hf]. cbn [Fnum Fexp] in *. apply generic_format_FLT. exists (Float radix2 m (f + n)); [|exact Hm | cbn [Fexp]; lia].
    rewrite Em. unfold F2R. cbn [Fnum Fexp]. rewrite bpow_plus. ring. }
  destruct (Z.le_gt_cases 0 e) as [He|He].
  - right. symmetry. apply rnd64_exact. now apply Scale.
  - assert (Q : rd64 (rd64 (x * pow e) * pow (- e)) = rd64 (x * pow e) * pow (- e)) by (apply rnd64_exact, Scale; [apply rnd64_format | lia]). rewrite Q in E.
    assert (One : pow (- e) * pow e = 1) by (rewrite <- bpow_plus; now replace (- e + e)%Z with 0%Z by lia). right. rewrite <- E at 1. rewrite Rmult_assoc, One. ring.
Qed.

End Bits.
