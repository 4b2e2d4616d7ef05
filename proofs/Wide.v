(* Integers of 64-bit limbs, lib/numerics/wide.hpp: their operations are those of integers modulo 2^(64 L), as Semantics.v and Full.v take them. *)
From Coq Require Import ZArith Reals Lia Bool.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts FullSource WideSource.
Open Scope Z_scope.

Definition limbs (L : Z) (f : Z -> Z) : Prop := forall i, 0 <= i < L -> 0 <= f i < 2 ^ 64.

Lemma wide_of_next (L : Z) (f : Z -> Z) : 0 <= L -> wide_of (L + 1) f = wide_of L f + f L * 2 ^ (64 * L).
Proof. intros H. unfold wide_of. replace (Z.to_nat (L + 1)) with (S (Z.to_nat L)) by lia. cbn [wide_of_n]. now rewrite Z2Nat.id by lia. Qed.

Lemma wide_of_same (L : Z) (f g : Z -> Z) : 0 <= L -> (forall i, 0 <= i < L -> f i = g i) -> wide_of L f = wide_of L g.
Proof.
  intros H. revert f g. pattern L. apply natlike_ind; [reflexivity | | exact H]. clear L H. intros L H IH f g E. rewrite <- Z.add_1_r, !wide_of_next by exact H. rewrite (IH f g) by (intros; apply E; lia). now rewrite E by lia.
Qed.

Lemma wide_of_update (L v : Z) (f : Z -> Z) : 0 <= L -> wide_of L (update f L v) = wide_of L f.
Proof. intros H. apply wide_of_same; [exact H|]. intros i Hi. unfold update. now replace (i =? L) with false by (symmetry; apply Z.eqb_neq; lia). Qed.

Lemma wide_of_range (L : Z) (f : Z -> Z) : 0 <= L -> limbs L f -> 0 <= wide_of L f < 2 ^ (64 * L).
Proof.
  intros H. revert f. pattern L. apply natlike_ind; [intros; cbn; lia | | exact H]. clear L H. intros L H IH f F. rewrite <- Z.add_1_r, wide_of_next by exact H. assert (R := IH f (fun i Hi => F i ltac:(lia))). assert (Fl := F L ltac:(lia)).
  replace (64 * (L + 1)) with (64 + 64 * L) by lia. rewrite Z.pow_add_r by lia. assert (P : 0 < 2 ^ (64 * L)) by (apply Z.pow_pos_nonneg; lia). nia.
Qed.

(* A loop that adds a term and the carry limb by limb. *)
Lemma chain (L first : Z) (term : Z -> Z) (body : Z -> (Z -> Z) * Z -> (Z -> Z) * Z) : 0 <= L -> 0 <= first < 2 ^ 64 -> (forall i, 0 <= i < L -> 0 <= term i <= (2 ^ 64 - 1) * (2 ^ 64 - 1)) ->
  (forall i r c, 0 <= i < L -> 0 <= c < 2 ^ 64 -> body i (r, c) = (update r i (wrap 64 (term i + c)), wrap 64 (Z.shiftr (term i + c) 64))) ->
  let '(r, c) := for_up 0 L body (fun _ => 0, first) in limbs L r /\ wide_of L r = wrap (64 * L) (first + wide_of L term).
Proof.
  intros HL Hf Ht Hb. assert (I : let '(r, c) := for_up 0 L body (fun _ => 0, first) in limbs L r /\ 0 <= c < 2 ^ 64 /\ wide_of L r + c * 2 ^ (64 * L) = first + wide_of L term).
  { apply (for_up_invariant (fun i s => let '(r, c) := s in limbs i r /\ 0 <= c < 2 ^ 64 /\ wide_of i r + c * 2 ^ (64 * i) = first + wide_of i term)); [exact HL | |].
    - split; [intros i Hi; lia|]. split; [exact Hf | cbn; lia].
    - intros i (r, c) Hi (R & C & E). rewrite Hb by lia. assert (T := Ht i Hi). set (t := term i + c) in *. assert (Bt : 0 <= t < 2 ^ 64 * 2 ^ 64) by (unfold t; nia).
      rewrite Z.shiftr_div_pow2 by lia. assert (D := Z.div_mod t (2 ^ 64) ltac:(discriminate)). assert (M := Z.mod_pos_bound t (2 ^ 64) ltac:(reflexivity)).
      assert (Q : 0 <= t / 2 ^ 64 < 2 ^ 64) by (split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]). rewrite (wrap_small 64 (t / 2 ^ 64)) by exact Q.
      split; [|split; [exact Q|]].
      + intros j Hj. unfold update. destruct (Z.eqb_spec j i); [unfold wrap; lia | apply R; lia].
      + rewrite !wide_of_next by lia. rewrite wide_of_update by lia. unfold update. rewrite Z.eqb_refl. unfold wrap. replace (64 * (i + 1)) with (64 + 64 * i) by lia. rewrite Z.pow_add_r by lia.
        set (p := 2 ^ (64 * i)) in *. assert (Et : term i = t - c) by (unfold t; lia). rewrite Et. nia. }
  destruct (for_up 0 L body (fun _ => 0, first)) as (r, c). destruct I as (R & C & E). split; [exact R|].
  rewrite <- (wrap_small (64 * L) (wide_of L r)) by (apply wide_of_range; assumption). apply wrap_unique; [lia|]. exists (- c). lia.
Qed.

Lemma wide_of_sum (L : Z) (f g : Z -> Z) : 0 <= L -> wide_of L (fun i => f i + g i) = wide_of L f + wide_of L g.
Proof. intros H. pattern L. apply natlike_ind; [reflexivity | | exact H]. clear L H. intros L H IH. rewrite <- Z.add_1_r, !wide_of_next by exact H. lia. Qed.

Lemma wide_of_product (L c : Z) (f : Z -> Z) : 0 <= L -> wide_of L (fun i => f i * c) = wide_of L f * c.
Proof. intros H. pattern L. apply natlike_ind; [reflexivity | | exact H]. clear L H. intros L H IH. rewrite <- Z.add_1_r, !wide_of_next by exact H. lia. Qed.

Lemma wide_of_ones (L : Z) : 0 <= L -> wide_of L (fun _ => 2 ^ 64 - 1) = 2 ^ (64 * L) - 1.
Proof.
  intros H. pattern L. apply natlike_ind; [reflexivity | | exact H]. clear L H. intros L H IH. rewrite <- Z.add_1_r, wide_of_next by exact H. rewrite IH. replace (64 * (L + 1)) with (64 + 64 * L) by lia. rewrite Z.pow_add_r by lia. lia.
Qed.

Lemma flipped (x : Z) : 0 <= x < 2 ^ 64 -> Z.lxor x (2 ^ 64 - 1) = 2 ^ 64 - 1 - x.
Proof.
  intros H. assert (E : Z.lxor x (2 ^ 64 - 1) = Z.lnot x mod 2 ^ 64).
  { rewrite <- Z.land_ones by lia. change (2 ^ 64 - 1) with (Z.ones 64). apply Z.bits_inj'. intros n Hn. rewrite Z.lxor_spec, Z.land_spec, Z.lnot_spec by exact Hn. destruct (Z.lt_ge_cases n 64) as [L|L].
    - rewrite Z.ones_spec_low by lia. now rewrite xorb_true_r, andb_true_r.
    - rewrite Z.ones_spec_high by lia. rewrite andb_false_r, xorb_false_r. rewrite <- (Z.mod_small x (2 ^ 64)) by exact H. apply Z.mod_pow2_bits_high. lia. }
  rewrite E. unfold Z.lnot. change (Z.pred (- x)) with (- x - 1) || rewrite <- Z.sub_1_r. rewrite <- (Z_mod_plus_full _ 1 (2 ^ 64)). rewrite Z.mod_small; lia.
Qed.

Lemma two_words_fit : 2 ^ 128 = 2 ^ 64 * 2 ^ 64.
Proof. reflexivity. Qed.

(* Theorem: sums, negations, differences, products by a word and the sign of L limbs are those of integers modulo 2^(64 L) in two's complement. *)
Theorem limbs_are_integers (L : Z) (a b : Z -> Z) (factor : Z) (negate : bool) : 1 <= L -> limbs L a -> limbs L b -> 0 <= factor < 2 ^ 64 ->
  (limbs L (limbs_add L a b) /\ wide_of L (limbs_add L a b) = wide_add L (wide_of L a) (wide_of L b)) /\
  (limbs L (limbs_negate_if L a negate) /\ wide_of L (limbs_negate_if L a negate) = wide_negate_if L (wide_of L a) negate) /\
  (limbs L (limbs_sub L a b) /\ wide_of L (limbs_sub L a b) = wide_sub L (wide_of L a) (wide_of L b)) /\
  (limbs L (limbs_mul L a factor) /\ wide_of L (limbs_mul L a factor) = wide_mul L (wide_of L a) factor) /\
  limbs_negative L a = wide_negative L (wide_of L a).
Proof.
  intros HL Ha Hb Hf. assert (L0 : 0 <= L) by lia. assert (P64 : 2 ^ 64 = 18446744073709551616) by reflexivity. assert (T := two_words_fit).
  assert (Add : forall x y, limbs L x -> limbs L y -> limbs L (limbs_add L x y) /\ wide_of L (limbs_add L x y) = wide_add L (wide_of L x) (wide_of L y)).
  { intros x y Hx Hy. unfold limbs_add. change (wrap 64 0) with 0. match goal with |- context [for_up 0 L ?body _] => assert (C := chain L 0 (fun i => x i + y i) body L0 ltac:(lia)) end.
    destruct (for_up 0 L _ _) as (r, c). rewrite wide_of_sum in C by lia. apply C.
    - intros i Hi. assert (X := Hx i Hi). assert (Y := Hy i Hi). nia.
    - intros i r' c' Hi Hc. assert (X := Hx i Hi). assert (Y := Hy i Hi). rewrite (wrap_small 128 (x i + y i)) by lia. rewrite (wrap_small 128) by lia. reflexivity. }
  assert (Neg : forall x n, limbs L x -> limbs L (limbs_negate_if L x n) /\ wide_of L (limbs_negate_if L x n) = wide_negate_if L (wide_of L x) n).
  { intros x n Hx. unfold limbs_negate_if. change (wrap 64 0) with 0. replace (wrap 64 (Z.lnot 0)) with (2 ^ 64 - 1) by reflexivity. destruct n; cbv iota zeta; cbn [Z.b2z].
    - change (wrap 64 1) with 1. match goal with |- context [for_up 0 L ?body _] => assert (C := chain L 1 (fun i => (2 ^ 64 - 1) + x i * -1) body L0 ltac:(lia)) end.
      destruct (for_up 0 L _ _) as (r, c). rewrite wide_of_sum, wide_of_product, wide_of_ones in C by lia. unfold wide_negate_if.
      replace (wrap (64 * L) (- wide_of L x)) with (wrap (64 * L) (1 + (2 ^ (64 * L) - 1 + wide_of L x * -1))) by (apply wrap_unique; [lia | exists 1; lia]). apply C.
      + intros i Hi. assert (X := Hx i Hi). nia.
      + intros i r' c' Hi Hc. assert (X := Hx i Hi). rewrite flipped by exact X. rewrite (wrap_small 128) by lia. replace (2 ^ 64 - 1 + x i * -1 + c') with (2 ^ 64 - 1 - x i + c') by lia. reflexivity.
    - match goal with |- context [for_up 0 L ?body _] => assert (C := chain L 0 x body L0 ltac:(lia)) end. destruct (for_up 0 L _ _) as (r, c). unfold wide_negate_if.
      rewrite <- (wrap_small (64 * L) (wide_of L x)) by (apply wide_of_range; assumption). apply C.
      + intros i Hi. assert (X := Hx i Hi). nia.
      + intros i r' c' Hi Hc. assert (X := Hx i Hi). rewrite Z.lxor_0_r. rewrite (wrap_small 128) by lia. reflexivity. }
  split; [now apply Add|]. split; [now apply Neg|]. split; [|split].
  - destruct (Neg b true Hb) as (N1 & N2). destruct (Add a (limbs_negate_if L b true) Ha N1) as (A1 & A2). split; [exact A1|]. unfold limbs_sub. rewrite A2, N2. unfold wide_add, wide_negate_if, wide_sub.
    apply wrap_unique; [lia|]. assert (D := wrap_divides (64 * L) (- wide_of L b) ltac:(lia)). destruct D as (q & D). exists q. lia.
  - unfold limbs_mul. change (wrap 64 0) with 0. match goal with |- context [for_up 0 L ?body _] => assert (C := chain L 0 (fun i => a i * factor) body L0 ltac:(lia)) end.
    destruct (for_up 0 L _ _) as (r, c). rewrite wide_of_product in C by lia. apply C.
    + intros i Hi. assert (X := Ha i Hi). nia.
    + intros i r' c' Hi Hc. assert (X := Ha i Hi). rewrite (wrap_small 128 (a i * factor)) by nia. rewrite (wrap_small 128) by nia. reflexivity.
  - unfold limbs_negative, wide_negative. change (wrap 64 0) with 0. rewrite Z.shiftr_div_pow2 by lia. assert (X := Ha (L - 1) ltac:(lia)). assert (R := wide_of_range (L - 1) a ltac:(lia) (fun i Hi => Ha i ltac:(lia))).
    replace (wide_of L a) with (wide_of (L - 1) a + a (L - 1) * 2 ^ (64 * (L - 1))) by (rewrite <- wide_of_next by lia; f_equal; lia).
    replace (64 * L - 1) with (63 + 64 * (L - 1)) by lia. rewrite Z.pow_add_r by lia. set (p := 2 ^ (64 * (L - 1))) in *. assert (P63 : 2 ^ 63 = 9223372036854775808) by reflexivity. set (t := a (L - 1)) in *.
    destruct (Z.leb_spec (2 ^ 63 * p) (wide_of (L - 1) a + t * p)) as [C|C].
    + apply negb_true_iff, Z.eqb_neq. assert (2 ^ 63 <= t) by nia. assert (1 <= t / 2 ^ 63) by (apply Z.div_le_lower_bound; lia). lia.
    + apply negb_false_iff, Z.eqb_eq. apply Z.div_small. nia.
Qed.
