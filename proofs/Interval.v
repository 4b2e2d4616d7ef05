(* The test of intervals of integers, lib/numerics/finish.hpp: shifts, products and sums of 128 bits, and their rounding. *)
From Coq Require Import ZArith Reals Lra Lia Bool Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts RoundSource Rounding IntervalSource.

Open Scope R_scope.

Definition sg (negative : bool) : R := if negative then -1 else 1.

Lemma lor_add (a b k : Z) : (0 <= k)%Z -> (0 <= b < 2 ^ k)%Z -> Z.lor (a * 2 ^ k) b = (a * 2 ^ k + b)%Z.
Proof.
  intros Hk Hb. assert (L : Z.land (a * 2 ^ k) b = 0%Z).
  { apply Z.bits_inj'. intros n Hn. rewrite Z.land_spec, Z.bits_0. destruct (Z.lt_ge_cases n k) as [L|L].
    - now rewrite Z.mul_pow2_bits_low.
    - rewrite <- (Z.mod_small b (2 ^ k)) by exact Hb. now rewrite Z.mod_pow2_bits_high, andb_false_r by lia. }
  rewrite <- Z.lxor_lor by exact L. symmetry. now apply Z.add_nocarry_lxor.
Qed.

Lemma leading_zeros_value (x : Z) : (0 < x < 2 ^ 64)%Z ->
  (0 <= leading_zeros x <= 63)%Z /\ (2 ^ 63 <= x * 2 ^ leading_zeros x < 2 ^ 64)%Z.
Proof.
  intros H. unfold leading_zeros. destruct (Z.eqb_spec x 0) as [E|E]; [lia|].
  assert (L := Z.log2_spec x ltac:(lia)). assert (L0 := Z.log2_nonneg x).
  assert (L1 : (Z.log2 x < 64)%Z) by (apply Z.log2_lt_pow2; lia).
  split; [lia|]. assert (P : (0 < 2 ^ (63 - Z.log2 x))%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (E1 : (2 ^ Z.log2 x * 2 ^ (63 - Z.log2 x) = 2 ^ 63)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (E2 : (2 ^ Z.succ (Z.log2 x) * 2 ^ (63 - Z.log2 x) = 2 ^ 64)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  rewrite <- E1, <- E2. split; [apply Z.mul_le_mono_nonneg_r; lia | apply Z.mul_lt_mono_pos_r; lia].
Qed.

Lemma pow_IZR (k : Z) : (0 <= k)%Z -> IZR (2 ^ k) = pow k.
Proof. intros H. exact (IZR_Zpower radix2 k H). Qed.

Lemma pow_inverse (k : Z) : pow k * pow (- k) = 1.
Proof. rewrite <- bpow_plus. now replace (k + - k)%Z with 0%Z by lia. Qed.

(* A number of 128 bits, shifted to the left, in two words. *)
Lemma two_words (v z h l e : Z) : (0 <= z)%Z -> (v * 2 ^ z = h * 2 ^ 64 + l)%Z ->
  IZR v * pow e = (IZR h + IZR l * pow (-64)) * pow (e + 64 - z).
Proof.
  intros Hz H. apply (f_equal IZR) in H. rewrite plus_IZR, !mult_IZR, !pow_IZR in H by lia.
  replace (e + 64 - z)%Z with (64 + (e + - z))%Z by lia. rewrite !bpow_plus.
  replace ((IZR h + IZR l * pow (-64)) * (pow 64 * (pow e * pow (- z))))
    with ((IZR h * pow 64 + IZR l * (pow 64 * pow (- (64)))) * (pow e * pow (- z))) by (change (- (64))%Z with (-64)%Z; ring).
  rewrite pow_inverse, Rmult_1_r, <- H.
  replace (IZR v * pow z * (pow e * pow (- z))) with (IZR v * pow e * (pow z * pow (- z))) by ring. rewrite pow_inverse. ring.
Qed.

Lemma div_real (v s : Z) : (0 <= v)%Z -> (0 <= s)%Z ->
  IZR (v / 2 ^ s) <= IZR v * pow (- s) <= IZR (v / 2 ^ s) + IZR (Z.b2z (negb (v mod 2 ^ s =? 0)%Z)) /\
  IZR v * pow (- s) < IZR (v / 2 ^ s) + 1.
Proof.
  intros Hv Hs. assert (P : (0 < 2 ^ s)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (M := Z.mod_pos_bound v (2 ^ s) P). assert (E := Z.div_mod v (2 ^ s) ltac:(lia)).
  set (q := (v / 2 ^ s)%Z) in *. set (r := (v mod 2 ^ s)%Z) in *.
  assert (E' : IZR v * pow (- s) = IZR q + IZR r * pow (- s)).
  { rewrite E, plus_IZR, mult_IZR, pow_IZR by lia. replace ((pow s * IZR q + IZR r) * pow (- s)) with (IZR q * (pow s * pow (- s)) + IZR r * pow (- s)) by ring.
    rewrite pow_inverse. ring. }
  assert (Q := bpow_gt_0 radix2 (- s)). assert (R0 : 0 <= IZR r) by (apply IZR_le; lia).
  assert (R1 : IZR r * pow (- s) < 1).
  { rewrite <- (pow_inverse s), <- (pow_IZR s) by lia. apply Rmult_lt_compat_r; [exact Q | apply IZR_lt; lia]. }
  assert (R2 : 0 <= IZR r * pow (- s)) by (apply Rmult_le_pos; lra).
  rewrite E'. split; [|lra]. split; [lra|]. destruct (Z.eqb_spec r 0) as [Z|Z]; simpl Z.b2z.
  - rewrite Z. simpl. lra.
  - simpl. lra.
Qed.

Lemma shift_down_value (v shift : Z) (lost : bool) : (0 <= v < 2 ^ 128)%Z -> (0 <= shift)%Z ->
  shift_down v shift lost = ((v / 2 ^ shift)%Z, (lost || negb (v mod 2 ^ shift =? 0)%Z)%bool).
Proof.
  intros Hv Hs. unfold shift_down. change (wrap 128 0) with 0%Z.
  assert (B : forall p q, negb (Z.lor (Z.b2z p) (Z.b2z q) =? 0)%Z = (p || q)%bool) by (intros [|] [|]; reflexivity).
  assert (P : (0 < 2 ^ shift)%Z) by (apply Z.pow_pos_nonneg; lia).
  rewrite Z.geb_leb. destruct (Z.leb_spec 128 shift) as [L|L].
  - assert (2 ^ 128 <= 2 ^ shift)%Z by (apply Z.pow_le_mono_r; lia).
    rewrite B, Z.div_small, Z.mod_small by lia. reflexivity.
  - cbv zeta. rewrite B. rewrite Z.shiftr_div_pow2 by lia. rewrite Z.shiftl_mul_pow2 by lia. f_equal. f_equal. f_equal.
    assert (E := Z.div_mod v (2 ^ shift) ltac:(lia)). assert (M := Z.mod_pos_bound v (2 ^ shift) P).
    rewrite wrap_small.
    + destruct (Z.eqb_spec (v mod 2 ^ shift) 0); [apply Z.eqb_eq | apply Z.eqb_neq]; lia.
    + assert (0 <= v / 2 ^ shift)%Z by (apply Z.div_pos; lia). nia.
Qed.

Section Format.

Variables d least most infinity : Z.
Variable sign_bits : bool -> Z.
Variable round_to : bool -> Z -> bool -> Z -> Z.
Hypothesis infinity_positive : (0 <= infinity)%Z.
Hypothesis sign_apart : forall negative n m, (0 <= n <= infinity)%Z -> (0 <= m <= infinity)%Z ->
  Z.lor (sign_bits negative) n = Z.lor (sign_bits negative) m -> n = m.
Hypothesis precision : (1 < d)%Z.
Hypothesis round_to_rounds : forall negative top sticky exponent rest,
  (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  exists n, round_to negative top sticky exponent = Z.lor (sign_bits negative) n /\
            is_result d least most infinity ((IZR top + rest) * pow exponent) n.

(* The bits are those of RN of z > 0, or of -z. *)
Definition rn (negative : bool) (z : R) (bits : Z) : Prop :=
  0 < z /\ exists n, bits = Z.lor (sign_bits negative) n /\ is_result d least most infinity z n.

(* The bits are those of RN of y, +0 if y = 0. *)
Definition rounds (y : R) (bits : Z) : Prop := (y = 0 /\ bits = exact_zero) \/ rn false y bits \/ rn true (- y) bits.

Lemma result_range (z : R) (n : Z) : is_result d least most infinity z n -> (0 <= n <= infinity)%Z.
Proof. unfold is_result. cbv zeta. intros [(_ & _ & H)|(_ & ->)]; lia. Qed.

Lemma rn_between (negative : bool) (a z b : R) (bits : Z) : a <= z <= b -> rn negative a bits -> rn negative b bits -> rn negative z bits.
Proof.
  intros H (Pa & n & En & Rn) (_ & m & Em & Rm). split; [lra|]. exists n. split; [exact En|].
  assert (E : n = m) by (apply (sign_apart negative); [eapply result_range; eauto | eapply result_range; eauto | congruence]). subst m.
  assert (V : Valid_exp (FLT_exp least d)) by (apply FLT_exp_valid; unfold Prec_gt_0; lia).
  assert (L : forall x y, x <= y -> round radix2 (FLT_exp least d) ZnearestE x <= round radix2 (FLT_exp least d) ZnearestE y)
    by (intros; apply round_le; auto; apply valid_rnd_N).
  assert (L1 := L a z (proj1 H)). assert (L2 := L z b (proj2 H)).
  unfold is_result in *. cbv zeta in *. destruct Rn as [(Fa & Na & Ia)|(Fa & Ia)], Rm as [(Fb & Nb & Ib)|(Fb & Ib)]; try lia.
  - left. repeat split; try lra; lia.
  - right. split; [lra | exact Ia].
Qed.

Lemma round_integer_rounds (negative : bool) (value exponent : Z) : (0 < value < 2 ^ 128)%Z ->
  rn negative (IZR value * pow exponent) (round_integer round_to negative value exponent).
Proof.
  intros H. split; [apply Rmult_lt_0_compat; [apply IZR_lt; lia | apply bpow_gt_0]|].
  unfold round_integer. change (wrap 64 0) with 0%Z. rewrite Z.shiftr_div_pow2 by lia.
  assert (B : (0 <= value / 2 ^ 64 < 2 ^ 64)%Z).
  { split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; [lia|]]. change (2 ^ 64 * 2 ^ 64)%Z with (2 ^ 128)%Z. lia. }
  rewrite (wrap_small 64 (value / 2 ^ 64)) by exact B. change (wrap 64 value) with (value mod 2 ^ 64)%Z.
  assert (M := Z.mod_pos_bound value (2 ^ 64) ltac:(lia)). assert (E := Z.div_mod value (2 ^ 64) ltac:(lia)).
  set (h := (value / 2 ^ 64)%Z) in *. set (l := (value mod 2 ^ 64)%Z) in *. cbv zeta.
  assert (W : exists h' l' e', (if (h =? 0)%Z then (l, 0%Z, (exponent - 64)%Z) else (h, l, exponent)) = (h', l', e') /\
              (0 < h' < 2 ^ 64)%Z /\ (0 <= l' < 2 ^ 64)%Z /\ IZR value * pow exponent = IZR (h' * 2 ^ 64 + l') * pow e').
  { destruct (Z.eqb_spec h 0) as [Z|Z].
    - exists l, 0%Z, (exponent - 64)%Z. split; [reflexivity|]. split; [lia|]. split; [lia|].
      rewrite Z.add_0_r, mult_IZR, pow_IZR by lia. replace (value) with l by lia.
      replace exponent with (64 + (exponent - 64))%Z at 1 by lia. rewrite bpow_plus. ring.
    - exists h, l, exponent. split; [reflexivity|]. split; [lia|]. split; [lia|]. do 2 f_equal. lia. }
  destruct W as (h' & l' & e' & -> & Hh & Hl & ->). clear B M E h l.
  destruct (leading_zeros_value h' Hh) as (Z0 & Z1). set (z := leading_zeros h') in *.
  assert (S : exists h2 l2, (if negb (z =? 0)%Z then (Z.lor (wrap 64 (Z.shiftl h' z)) (Z.shiftr l' (64 - z)), wrap 64 (Z.shiftl l' z)) else (h', l')) = (h2, l2) /\
              (2 ^ 63 <= h2 < 2 ^ 64)%Z /\ (0 <= l2 < 2 ^ 64)%Z /\ ((h' * 2 ^ 64 + l') * 2 ^ z = h2 * 2 ^ 64 + l2)%Z).
  { destruct (Z.eqb_spec z 0) as [Z|Z]; simpl negb; cbv iota.
    - exists h', l'. rewrite Z in *. change (2 ^ 0)%Z with 1%Z in *. repeat split; lia.
    - rewrite !Z.shiftl_mul_pow2, Z.shiftr_div_pow2 by lia. rewrite (wrap_small 64 (h' * 2 ^ z)) by lia.
      assert (Pz : (0 < 2 ^ z)%Z) by (apply Z.pow_pos_nonneg; lia). assert (Pk : (0 < 2 ^ (64 - z))%Z) by (apply Z.pow_pos_nonneg; lia).
      assert (E64 : (2 ^ 64 = 2 ^ (64 - z) * 2 ^ z)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
      assert (D : (0 <= l' / 2 ^ (64 - z) < 2 ^ z)%Z).
      { split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; lia]. }
      rewrite lor_add by lia. exists (h' * 2 ^ z + l' / 2 ^ (64 - z))%Z, (wrap 64 (l' * 2 ^ z)). split; [reflexivity|].
      assert (W := wrap_range 64 (l' * 2 ^ z) ltac:(lia)).
      assert (Ed : (l' * 2 ^ z = 2 ^ 64 * (l' / 2 ^ (64 - z)) + wrap 64 (l' * 2 ^ z))%Z).
      { unfold wrap. rewrite (Z.div_mod (l' * 2 ^ z) (2 ^ 64)) at 1 by lia. do 2 f_equal. rewrite E64. apply Z.div_mul_cancel_r; lia. }
      assert (Hm : (h' <= 2 ^ (64 - z) - 1)%Z) by nia.
      repeat split; try lia; nia. }
  destruct S as (h2 & l2 & -> & B2 & L2 & E2).
  assert (Z2 := two_words (h' * 2 ^ 64 + l') z h2 l2 e' ltac:(lia) E2). rewrite Z2.
  apply round_to_rounds; [exact B2 | |].
  - assert (P := bpow_gt_0 radix2 (-64)). assert (0 <= IZR l2) by (apply IZR_le; lia).
    split; [apply Rmult_le_pos; lra|]. rewrite <- (pow_inverse 64). change (- (64))%Z with (-64)%Z. apply Rmult_lt_compat_r; [exact P|].
    rewrite <- (pow_IZR 64) by lia. apply IZR_lt. lia.
  - destruct (Z.eqb_spec l2 0) as [Z|Z]; simpl negb.
    + rewrite Z, Rmult_0_l. split; [discriminate | lra].
    + split; [intros _ | reflexivity]. apply Rmult_lt_0_compat; [apply IZR_lt; lia | apply bpow_gt_0].
Qed.

Lemma round_between_rounds (negative : bool) (low high exponent out : Z) (y : R) : (0 < low <= high)%Z -> (high < 2 ^ 128)%Z ->
  IZR low * pow exponent <= y <= IZR high * pow exponent -> round_between round_to negative low high exponent = (true, out) -> rn negative y out.
Proof.
  intros Hl Hh Hy. unfold round_between. change (wrap 64 0) with 0%Z. change (wrap 128 0) with 0%Z.
  assert (General : (((round_integer round_to negative low exponent =? round_integer round_to negative high exponent)%Z, round_integer round_to negative low exponent) = (true, out)) -> rn negative y out).
  { intros H. apply pair_equal_spec in H; destruct H as [E O]. apply Z.eqb_eq in E. subst out. apply (rn_between negative _ y _ _ Hy).
    - apply round_integer_rounds. lia.
    - rewrite E. apply round_integer_rounds. lia. }
  rewrite (Z.shiftr_div_pow2 low) by lia.
  assert (B : (0 <= low / 2 ^ 64 < 2 ^ 64)%Z).
  { split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; [lia|]]. change (2 ^ 64 * 2 ^ 64)%Z with (2 ^ 128)%Z. lia. }
  rewrite (wrap_small 64 (low / 2 ^ 64)) by exact B. set (top := (low / 2 ^ 64)%Z) in *. cbv zeta.
  destruct (Z.eqb_spec (Z.shiftr top 1) 0) as [T|T]; simpl negb; cbv iota; [exact General|].
  assert (T2 : (2 <= top)%Z).
  { rewrite Z.shiftr_div_pow2 in T by lia. change (2 ^ 1)%Z with 2%Z in T. destruct (Z.lt_ge_cases top 2) as [Q|Q]; [|exact Q]. elim T. apply Z.div_small. lia. }
  assert (Hz : (0 <= leading_zeros top <= 62)%Z /\ (2 ^ 63 <= top * 2 ^ leading_zeros top < 2 ^ 64)%Z).
  { destruct (leading_zeros_value top ltac:(lia)) as (Q1 & Q2). split; [|exact Q2]. split; [lia|].
    unfold leading_zeros. destruct (Z.eqb_spec top 0) as [Q|Q]; [lia|]. assert (1 <= Z.log2 top)%Z by (change 1%Z with (Z.log2 2); apply Z.log2_le_mono; lia). lia. }
  destruct Hz as (Z0 & Z1). set (z := leading_zeros top) in *.
  destruct (_ && _)%bool eqn:C; [|exact General]. intros H. apply pair_equal_spec in H. destruct H as [_ O].
  apply andb_prop in C as [C1 C2]. apply Z.eqb_eq in C1. apply negb_true_iff, Z.eqb_neq in C2.
  rewrite Z.shiftr_lxor in C1. apply Z.lxor_eq in C1. rewrite !Z.shiftr_div_pow2 in C1 by lia.
  rewrite Z.shiftl_mul_pow2 in C2, O by lia. rewrite Z.shiftr_div_pow2 in O by lia.
  set (k := (64 - z)%Z) in *.
  assert (Pz : (0 < 2 ^ z)%Z) by (apply Z.pow_pos_nonneg; lia). assert (Pk : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (E64 : (2 ^ 64 = 2 ^ k * 2 ^ z)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
  assert (Dm := Z.div_mod low (2 ^ 64) ltac:(lia)). fold top in Dm. assert (M := Z.mod_pos_bound low (2 ^ 64) ltac:(lia)).
  assert (Small : (low * 2 ^ z < 2 ^ 128)%Z).
  { change (2 ^ 128)%Z with (2 ^ 64 * 2 ^ 64)%Z. assert (top <= 2 ^ k - 1)%Z by nia. nia. }
  assert (Ed : (low * 2 ^ z / 2 ^ 64 = low / 2 ^ k)%Z) by (rewrite E64; apply Z.div_mul_cancel_r; lia).
  assert (Em : (low * 2 ^ z mod 2 ^ 64 = (low mod 2 ^ k) * 2 ^ z)%Z) by (rewrite E64; apply Z.mul_mod_distr_r; lia).
  rewrite (wrap_small 128 (low * 2 ^ z)) in C2, O by lia. unfold wrap in C2. rewrite Em in C2. rewrite Ed in O.
  set (t := (low / 2 ^ k)%Z) in *.
  assert (Bt : (2 ^ 63 <= t < 2 ^ 64)%Z).
  { split; [apply Z.div_le_lower_bound; [lia|] | apply Z.div_lt_upper_bound; [lia|]]; nia. }
  rewrite wrap_small in O by lia.
  assert (Dl := Z.div_mod low (2 ^ k) ltac:(lia)). fold t in Dl. assert (Dh := Z.div_mod high (2 ^ k) ltac:(lia)). rewrite <- C1 in Dh.
  assert (Ml := Z.mod_pos_bound low (2 ^ k) Pk). assert (Mh := Z.mod_pos_bound high (2 ^ k) Pk).
  assert (Low : (2 ^ k * t + 1 <= low)%Z) by (assert (low mod 2 ^ k <> 0)%Z by (intros Q; rewrite Q in C2; lia); lia).
  assert (High : (high <= 2 ^ k * t + 2 ^ k - 1)%Z) by lia.
  apply IZR_le in Low, High. rewrite plus_IZR, mult_IZR, pow_IZR in Low by lia. rewrite minus_IZR, plus_IZR, mult_IZR, pow_IZR in High by lia.
  set (u := y * pow (- (exponent + k))).
  assert (Yu : y = u * pow (exponent + k)).
  { unfold u. rewrite Rmult_assoc, (Rmult_comm (pow (- _))), pow_inverse. ring. }
  assert (Pe := bpow_gt_0 radix2 exponent). assert (Pp := bpow_gt_0 radix2 k).
  assert (U : IZR t < u < IZR t + 1).
  { rewrite Yu, bpow_plus in Hy. destruct Hy as [Y1 Y2].
    assert (A1 : IZR low <= u * pow k) by (apply Rmult_le_reg_r with (pow exponent); [exact Pe | lra]).
    assert (A2 : u * pow k <= IZR high) by (apply Rmult_le_reg_r with (pow exponent); [exact Pe | lra]).
    split; apply Rmult_lt_reg_r with (pow k); lra. }
  split.
  - rewrite Yu. apply Rmult_lt_0_compat; [|apply bpow_gt_0]. assert (0 <= IZR t) by (apply IZR_le; lia). lra.
  - rewrite <- O. replace (exponent + 64 - z)%Z with (exponent + k)%Z by lia.
    replace y with ((IZR t + (u - IZR t)) * pow (exponent + k)) by (rewrite Yu; ring).
    apply round_to_rounds; [exact Bt | lra |]. split; [lra | reflexivity].
Qed.

(* A term, shifted to the unit 2^e: what is dropped joins its error. *)
Lemma shifted_term (X : R) (value error xe e : Z) (negative : bool) : (0 <= value < 2 ^ 128)%Z -> (0 <= error < 2 ^ 128)%Z -> (2 <= e - xe)%Z ->
  Rabs (X - sg negative * (IZR value * pow xe)) <= IZR error * pow xe ->
  exists a lost1 err lost2, shift_down value (e - xe) false = (a, lost1) /\ shift_down error (e - xe) lost1 = (err, lost2) /\
    (0 <= a < 2 ^ 126)%Z /\ (0 <= err < 2 ^ 126)%Z /\ Rabs (X - sg negative * (IZR a * pow e)) <= IZR (err + 2 * Z.b2z lost2) * pow e /\
    (error = 0%Z -> Rabs (X - sg negative * (IZR a * pow e)) <= IZR (Z.b2z lost1) * pow e).
Proof.
  intros Hv He Hs H. set (s := (e - xe)%Z) in *.
  assert (S4 : (2 ^ 2 <= 2 ^ s)%Z) by (apply Z.pow_le_mono_r; lia). change (2 ^ 2)%Z with 4%Z in S4.
  assert (Bound : forall v, (0 <= v < 2 ^ 128)%Z -> (0 <= v / 2 ^ s < 2 ^ 126)%Z).
  { intros v Q. split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; [lia|]]. change (2 ^ 128)%Z with (4 * 2 ^ 126)%Z in Q. nia. }
  rewrite shift_down_value by lia. do 4 eexists. split; [reflexivity|]. rewrite shift_down_value by lia. split; [reflexivity|].
  split; [now apply Bound|]. split; [now apply Bound|].
  destruct (div_real value s ltac:(lia) ltac:(lia)) as ((V1 & V2) & _). destruct (div_real error s ltac:(lia) ltac:(lia)) as ((E1 & E2) & _).
  assert (Px : pow xe = pow (- s) * pow e) by (rewrite <- bpow_plus; f_equal; unfold s; lia). rewrite Px in H.
  assert (P := bpow_gt_0 radix2 e). rewrite orb_false_l. set (lv := negb (value mod 2 ^ s =? 0)%Z) in *. set (le := negb (error mod 2 ^ s =? 0)%Z) in *.
  assert (B : forall u w, sg negative * (u * pow e) - sg negative * (w * pow e) = sg negative * (u - w) * pow e) by (intros; ring).
  assert (A : forall u, Rabs (sg negative * u * pow e) = Rabs u * pow e).
  { intros u. rewrite !Rabs_mult, (Rabs_pos_eq (pow e)) by lra. unfold sg. destruct negative; [rewrite Rabs_left by lra | rewrite Rabs_pos_eq by lra]; ring. }
  set (a := (value / 2 ^ s)%Z) in *. set (err := (error / 2 ^ s)%Z) in *.
  assert (D : Rabs (X - sg negative * (IZR a * pow e)) <= (IZR error * pow (- s) + IZR (Z.b2z lv)) * pow e).
  { replace (X - sg negative * (IZR a * pow e)) with ((X - sg negative * (IZR value * (pow (- s) * pow e))) + sg negative * (IZR value * pow (- s) - IZR a) * pow e) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite A, (Rabs_pos_eq (IZR value * pow (- s) - IZR a)) by lra.
    apply Rle_trans with (IZR error * (pow (- s) * pow e) + IZR (Z.b2z lv) * pow e); [apply Rplus_le_compat; [exact H | apply Rmult_le_compat_r; lra] | right; ring]. }
  split.
  - eapply Rle_trans; [exact D|]. apply Rmult_le_compat_r; [lra|]. rewrite plus_IZR, mult_IZR.
    assert (T : IZR (Z.b2z lv) + IZR (Z.b2z le) <= 2 * IZR (Z.b2z (lv || le))) by (destruct lv, le; simpl; lra). lra.
  - intros Z. rewrite Z in D. rewrite Rmult_0_l, Rplus_0_l in D. exact D.
Qed.

(* The sum of two signed integers, as the code forms it. *)
Lemma signed_sum (a b : Z) (nx ny : bool) : (0 <= a < 2 ^ 126)%Z -> (0 <= b < 2 ^ 126)%Z ->
  exists value negative, (if (Z.b2z nx =? Z.b2z ny)%Z then (wrap 128 (a + b), nx) else
    let '(value, negative) := if (a >=? b)%Z then (wrap 128 (a - b), nx) else (wrap 128 (b - a), ny) in (value, negative)) = (value, negative) /\
    (0 <= value < 2 ^ 127)%Z /\ sg nx * IZR a + sg ny * IZR b = sg negative * IZR value.
Proof.
  intros Ha Hb. assert (E7 : (2 ^ 127 = 2 * 2 ^ 126)%Z) by reflexivity. assert (E8 : (2 ^ 128 = 4 * 2 ^ 126)%Z) by reflexivity.
  destruct (Z.eqb_spec (Z.b2z nx) (Z.b2z ny)) as [E|E].
  - assert (nx = ny) by (destruct nx, ny; auto; discriminate). subst ny. do 2 eexists. split; [reflexivity|].
    rewrite wrap_small by lia. split; [lia|]. rewrite plus_IZR. ring.
  - assert (sg ny = - sg nx) as -> by (destruct nx, ny; simpl; try lra; elim E; reflexivity).
    rewrite Z.geb_leb. destruct (Z.leb_spec b a) as [L|L]; do 2 eexists; (split; [reflexivity|]); rewrite wrap_small by lia; (split; [lia|]); rewrite minus_IZR; [ring|].
    destruct nx, ny; simpl; try lra; elim E; reflexivity.
Qed.

Lemma rounds_signed (negative : bool) (y : R) (out : Z) : rn negative (sg negative * y) out -> rounds y out.
Proof. unfold rounds, sg. destruct negative; intros H; right; [right | left]; [replace (- y) with (-1 * y) by ring | replace y with (1 * y) by ring]; exact H. Qed.

Lemma round_sum_rounds (X : R) (xv xr xe : Z) (xn : bool) (yv ye : Z) (yn : bool) (before out : Z) :
  (0 <= xv < 2 ^ 128)%Z -> (0 <= xr < 2 ^ 128)%Z -> (0 <= yv < 2 ^ 128)%Z ->
  Rabs (X - sg xn * (IZR xv * pow xe)) <= IZR xr * pow xe ->
  round_sum round_to xv xr xe xn yv 0 ye yn before = (true, out) -> rounds (X + sg yn * (IZR yv * pow ye)) out.
Proof.
  intros Hx Hr Hy HX. unfold round_sum. change (wrap 128 0) with 0%Z.
  set (hx := (negb (xv =? 0)%Z || negb (xr =? 0)%Z)%bool). set (hy := negb (yv =? 0)%Z). cbv zeta.
  assert (Nx : hx = false -> X = 0 /\ xv = 0%Z /\ xr = 0%Z).
  { unfold hx. destruct (Z.eqb_spec xv 0), (Z.eqb_spec xr 0); try discriminate. intros _. subst. split; [|auto].
    rewrite !Rmult_0_l, Rmult_0_r, Rminus_0_r in HX. assert (P := Rabs_pos X). destruct (Req_dec X 0) as [Q|Q]; [exact Q|]. apply Rabs_pos_lt in Q. lra. }
  assert (Ny : hy = false -> yv = 0%Z) by (unfold hy; destruct (Z.eqb_spec yv 0); [auto | discriminate]).
  destruct (negb hx && negb hy)%bool eqn:None0.
  { apply andb_prop in None0 as [N1 N2]. apply negb_true_iff in N1, N2. destruct (Nx N1) as (-> & _). rewrite (Ny N2).
    intros H. apply pair_equal_spec in H. destruct H as [_ <-]. left. split; [ring | reflexivity]. }
  set (e := (_ + 2)%Z).
  assert (Ex : hx = true -> (2 <= e - xe)%Z).
  { intros Q. unfold e. rewrite Q. destruct hy; simpl negb; cbv iota; [rewrite Z.gtb_ltb; destruct (Z.ltb_spec ye xe)|]; lia. }
  assert (Ey : hy = true -> (2 <= e - ye)%Z).
  { intros Q. unfold e. rewrite Q. destruct hx; simpl negb; cbv iota; [rewrite Z.gtb_ltb; destruct (Z.ltb_spec ye xe)|]; lia. }
  clearbody e. assert (P := bpow_gt_0 radix2 e).
  assert (Fx : exists a err, (if hx then let '(value1, set1_0) := shift_down xv (e - xe) false in let '(value2, set2_0) := shift_down xr (e - xe) set1_0 in
                 (value1, wrap 128 (value2 + wrap 128 (2 * Z.b2z set2_0))) else (0%Z, 0%Z)) = (a, err) /\
              (0 <= a < 2 ^ 126)%Z /\ (0 <= err < 2 ^ 126 + 2)%Z /\ Rabs (X - sg xn * (IZR a * pow e)) <= IZR err * pow e).
  { destruct hx.
    - destruct (shifted_term X xv xr xe e xn Hx Hr (Ex eq_refl) HX) as (a & l1 & err & l2 & -> & -> & A & B & C & _).
      assert (E8 : (2 ^ 128 = 4 * 2 ^ 126)%Z) by reflexivity. assert (B2 : (0 <= Z.b2z l2 <= 1)%Z) by (destruct l2; simpl; lia).
      do 2 eexists. split; [reflexivity|]. rewrite (wrap_small 128 (2 * _)), wrap_small by lia. repeat split; try lia. exact C.
    - destruct (Nx eq_refl) as (-> & _ & _). exists 0%Z, 0%Z. repeat split; try lia. rewrite !Rmult_0_l, Rmult_0_r, Rminus_0_r, Rabs_R0. lra. }
  destruct Fx as (a & err & -> & A & Er & C).
  assert (Fy : exists b ly, (if hy then let '(value3, set3_0) := shift_down yv (e - ye) false in (value3, wrap 128 (err + wrap 128 (Z.b2z set3_0))) else (0%Z, err)) = (b, (err + Z.b2z ly)%Z) /\
              (0 <= b < 2 ^ 126)%Z /\ Rabs (sg yn * (IZR yv * pow ye) - sg yn * (IZR b * pow e)) <= IZR (Z.b2z ly) * pow e).
  { destruct hy.
    - destruct (shifted_term (sg yn * (IZR yv * pow ye)) yv 0 ye e yn Hy ltac:(lia) (Ey eq_refl)) as (b & l1 & e2 & l2 & E1 & _ & B & _ & _ & D).
      { rewrite Rminus_eq_0, Rabs_R0, Rmult_0_l. lra. }
      rewrite E1. assert (E8 : (2 ^ 128 = 4 * 2 ^ 126)%Z) by reflexivity. assert (B2 : (0 <= Z.b2z l1 <= 1)%Z) by (destruct l1; simpl; lia).
      exists b, l1. rewrite (wrap_small 128 (Z.b2z l1)), wrap_small by lia. split; [reflexivity|]. split; [exact B|]. now apply D.
    - rewrite (Ny eq_refl). exists 0%Z, false. simpl Z.b2z. rewrite Z.add_0_r. split; [reflexivity|]. split; [lia|]. rewrite !Rmult_0_l, !Rmult_0_r, Rminus_0_r, Rabs_R0. lra. }
  destruct Fy as (b & ly & -> & B & D).
  destruct (signed_sum a b xn yn A B) as (value & negative & Sm & V & Sv). rewrite Sm. clear Sm.
  assert (B2 : (0 <= Z.b2z ly <= 1)%Z) by (destruct ly; simpl; lia).
  set (error := (err + Z.b2z ly)%Z) in *. set (Y := sg yn * (IZR yv * pow ye)) in *.
  assert (T : Rabs (sg negative * (X + Y) - IZR value * pow e) <= IZR error * pow e).
  { replace (sg negative * (X + Y) - IZR value * pow e) with (sg negative * ((X - sg xn * (IZR a * pow e)) + (Y - sg yn * (IZR b * pow e)))).
    - rewrite Rabs_mult. replace (Rabs (sg negative)) with 1 by (unfold sg; destruct negative; [rewrite Rabs_left | rewrite Rabs_pos_eq]; lra). rewrite Rmult_1_l.
      eapply Rle_trans; [apply Rabs_triang|]. unfold error. rewrite plus_IZR. lra.
    - assert (Sq : sg negative * sg negative = 1) by (destruct negative; simpl; lra).
      replace (X - sg xn * (IZR a * pow e) + (Y - sg yn * (IZR b * pow e))) with (X + Y - (sg xn * IZR a + sg yn * IZR b) * pow e) by ring. rewrite Sv.
      replace (sg negative * (X + Y - sg negative * IZR value * pow e)) with (sg negative * (X + Y) - (sg negative * sg negative) * IZR value * pow e) by ring. rewrite Sq. ring. }
  assert (E7 : (2 ^ 127 = 2 * 2 ^ 126)%Z) by reflexivity. assert (E8 : (2 ^ 128 = 4 * 2 ^ 126)%Z) by reflexivity.
  destruct (Z.eqb_spec error 0) as [Z|Z].
  - rewrite Z, Rmult_0_l in T. assert (Q : sg negative * (X + Y) = IZR value * pow e).
    { destruct (Req_dec (sg negative * (X + Y) - IZR value * pow e) 0) as [W|W]; [lra|]. apply Rabs_pos_lt in W. lra. }
    intros H. apply pair_equal_spec in H. destruct H as [_ <-]. destruct (Z.eqb_spec value 0) as [W|W].
    + left. split; [|reflexivity]. rewrite W, Rmult_0_l in Q. destruct negative; simpl in Q; lra.
    + apply (rounds_signed negative). rewrite Q. apply round_integer_rounds. lia.
  - destruct (Z.leb_spec value error) as [L|L]; [intros H; apply pair_equal_spec in H; destruct H as [H _]; discriminate H|].
    rewrite (wrap_small 128 (value - error)), (wrap_small 128 (value + error)) by lia. intros H. apply (rounds_signed negative).
    apply Rabs_le_inv in T. refine (round_between_rounds _ _ _ _ _ _ _ _ _ H); [lia | lia |]. rewrite minus_IZR, plus_IZR. lra.
Qed.

End Format.
