(* Outward rounding (lib/numerics/outward.hpp), and the radius of an unknown (docs/certified.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Floats Rounding OutwardSource.

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
  z <= number64 (n + 1) /\ (0 < n -> number64 (n - 1) <= z)%Z.
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
          replace (-1074 + l + 53)%Z with (53 + (-1074 + l))%Z by lia. rewrite bpow_plus.
          apply Rmult_lt_compat_r; [exact P|]. change (pow 53) with (IZR (2 ^ 53)). apply IZR_lt. lia. }
        unfold FLT_exp. lia. }
    apply Rabs_le_inv in H. rewrite V in *. lra. }
  split; [now apply Up|]. intros Hp. destruct (number_next (n - 1) ltac:(lia)) as (k & l & Hl & Hk & V & W).
  replace (n - 1 + 1)%Z with n in W by lia. rewrite V.
  (* k 2^(l - 1074) is a number, and z rounds to a larger one *)
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
    unfold number in L. simpl in L. lra. }
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
End Bits.
