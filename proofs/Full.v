(* The sum of alpha S and beta c in a wide integer, where 128 bits do not decide: finish_full, lib/numerics/finish.hpp. *)
From Coq Require Import ZArith Reals Lra Lia Bool Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts RoundSource Rounding Floats IntervalSource Interval Within FullSource.

Open Scope R_scope.

Definition finish_full (round_to : bool -> Z -> bool -> Z -> Z) (L : Z) (alpha : Z * Z * bool) (magnitude : Z) (negative : bool) (exponent : Z) (beta c : Z * Z * bool) : Z :=
  let N := full_limbs L in
  let '(x, ex, nx) := full_product N magnitude exponent (mantissa_of alpha) (exponent_of alpha) negative (sign_of alpha) in
  let y := wide_of N (full_addend (fun _ => 0%Z) (mantissa_of beta) (mantissa_of c)) in
  let '(ey, ny) := addend_scale (exponent_of beta) (exponent_of c) (sign_of beta) (sign_of c) in
  let '(x, ex, tx, nx, y, ey, ty, ny) := in_order x ex 0 y ey 0 nx ny in
  let '(base, y, ey, any) := common_base N ex tx y ey ty in
  let '(x, y) := aligned N x ex y ey base any in
  rounded_sum round_to N x y base nx ny.

(* The leading bits of A stand for A, and for any number next to it if A is odd and has more than 64 bits. *)
Lemma top_of (A : Z) (w : R) : (0 < A)%Z -> w = IZR A \/ (Z.odd A = true /\ (64 <= Z.log2 A)%Z /\ Rabs (w - IZR A) < 1) ->
  let t := wide_top A in (2 ^ 63 <= top_high t < 2 ^ 64)%Z /\ exists rest : R, 0 <= rest < 1 /\
  w = (IZR (top_high t) + rest) * pow (top_shift t + 64) /\ ((negb (top_low t =? wrap 64 0) || top_lost t)%bool = true <-> 0 < rest).
Proof.
  intros HA Hw t. unfold t, wide_top. replace (A =? 0)%Z with false by (symmetry; apply Z.eqb_neq; lia). cbv zeta. unfold top_high, top_low, top_shift, top_lost. cbn [fst snd].
  change (wrap 64 0) with 0%Z. set (s := (Z.log2 A - 127)%Z). set (q := (s + 64)%Z). assert (Lg := Z.log2_spec A HA). assert (L0 := Z.log2_nonneg A).
  assert (Pq : pow q * pow (- q) = 1) by apply pow_inverse.
  destruct (Z.le_gt_cases q 0) as [Q|Q].
  - destruct Hw as [->|(_ & H & _)]; [|unfold q, s in Q; lia]. replace (Z.shiftr A q) with (A * 2 ^ (- q))%Z by (rewrite <- Z.shiftl_mul_pow2 by lia; now rewrite Z.shiftl_opp_r).
    assert (E1 : (2 ^ Z.log2 A * 2 ^ (- q) = 2 ^ 63)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold q, s; lia).
    assert (E2 : (2 ^ Z.succ (Z.log2 A) * 2 ^ (- q) = 2 ^ 64)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold q, s; lia).
    assert (P : (0 < 2 ^ (- q))%Z) by (apply Z.pow_pos_nonneg; lia). split; [rewrite <- E1, <- E2; split; [apply Z.mul_le_mono_nonneg_r | apply Z.mul_lt_mono_pos_r]; lia|].
    exists 0. split; [lra|]. split.
    + rewrite Rplus_0_r, mult_IZR, pow_IZR by lia. rewrite Rmult_assoc, (Rmult_comm (pow (- q))), Pq. ring.
    + replace (Z.shiftr A s) with (A * 2 ^ (- q) * 2 ^ 64)%Z by (rewrite <- Z.mul_assoc, <- Z.pow_add_r by lia; replace (- q + 64)%Z with (- s)%Z by lia; rewrite <- Z.shiftl_mul_pow2 by lia; now rewrite Z.shiftl_opp_r).
      unfold wrap. rewrite Z.mod_mul by lia. replace (Z.max 0 s) with 0%Z by lia. rewrite Z.mod_1_r. cbn. split; [discriminate | lra].
  - assert (P : (0 < 2 ^ q)%Z) by (apply Z.pow_pos_nonneg; lia). rewrite Z.shiftr_div_pow2 by lia. set (h := (A / 2 ^ q)%Z). set (r := (A mod 2 ^ q)%Z).
    assert (D : A = (2 ^ q * h + r)%Z) by (apply Z.div_mod; lia). assert (Hr : (0 <= r < 2 ^ q)%Z) by (apply Z.mod_pos_bound; lia).
    assert (E1 : (2 ^ 63 * 2 ^ q = 2 ^ Z.log2 A)%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold q, s; lia).
    assert (E2 : (2 ^ 64 * 2 ^ q = 2 ^ Z.succ (Z.log2 A))%Z) by (rewrite <- Z.pow_add_r by lia; f_equal; unfold q, s; lia).
    split; [split; [apply Z.div_le_lower_bound | apply Z.div_lt_upper_bound]; lia|].
    assert (Sticky : (negb (wrap 64 (Z.shiftr A s) =? 0) || negb (A mod 2 ^ Z.max 0 s =? 0))%bool%Z = negb (r =? 0)%Z).
    { destruct (Z.le_gt_cases 0 s) as [S|S].
      - rewrite Z.shiftr_div_pow2, Z.max_r by lia. unfold wrap, r. assert (P1 : (0 < 2 ^ s)%Z) by (apply Z.pow_pos_nonneg; lia).
        replace (2 ^ q)%Z with (2 ^ s * 2 ^ 64)%Z by (rewrite <- Z.pow_add_r by lia; reflexivity). rewrite Z.rem_mul_r by lia.
        assert (B1 := Z.mod_pos_bound A (2 ^ s) P1). assert (B2 := Z.mod_pos_bound (A / 2 ^ s) (2 ^ 64) ltac:(reflexivity)). set (a := (A mod 2 ^ s)%Z) in *. set (b := ((A / 2 ^ s) mod 2 ^ 64)%Z) in *.
        destruct (Z.eqb_spec b 0) as [->|N1], (Z.eqb_spec a 0) as [->|N2]; cbn [negb orb]; symmetry; try (apply negb_true_iff, Z.eqb_neq; nia). rewrite Z.mul_0_r. reflexivity.
      - rewrite Z.max_l, Z.mod_1_r by lia. cbn [Z.eqb negb]. rewrite orb_false_r. f_equal. replace (Z.shiftr A s) with (A * 2 ^ (64 - q))%Z by (replace (64 - q)%Z with (- s)%Z by lia; rewrite <- Z.shiftl_mul_pow2 by lia; now rewrite Z.shiftl_opp_r).
        unfold wrap. replace (2 ^ 64)%Z with (2 ^ q * 2 ^ (64 - q))%Z by (rewrite <- Z.pow_add_r by lia; f_equal; lia). assert (P1 : (0 < 2 ^ (64 - q))%Z) by (apply Z.pow_pos_nonneg; lia).
        rewrite Z.mul_mod_distr_r by lia. fold r. destruct (Z.eqb_spec r 0) as [->|N]; [reflexivity | apply Z.eqb_neq; nia]. }
    rewrite Sticky. exists ((w - IZR (2 ^ q * h)) * pow (- q)). assert (Pn := bpow_gt_0 radix2 (- q)).
    assert (Dr : IZR A = IZR (2 ^ q * h) + IZR r) by (rewrite <- plus_IZR; now rewrite D at 1). assert (One : IZR (2 ^ q) * pow (- q) = 1) by (rewrite pow_IZR by lia; exact Pq).
    assert (Bound : (r = 0%Z /\ w = IZR (2 ^ q * h)) \/ (r <> 0%Z /\ IZR (2 ^ q * h) < w < IZR (2 ^ q * h) + IZR (2 ^ q))).
    { destruct Hw as [->|(O & _ & H)].
      - destruct (Z.eq_dec r 0) as [Z0|Z0]; [left; split; [exact Z0 | rewrite Dr, Z0; ring] | right]. split; [exact Z0|]. rewrite Dr. split; [assert (0 < IZR r) by (apply IZR_lt; lia); lra | assert (IZR r < IZR (2 ^ q)) by (apply IZR_lt; lia); lra].
      - right. assert (Odd : Z.odd r = true).
        { rewrite D in O. rewrite Z.add_comm, Z.odd_add_mul_even in O; [exact O|]. exists (2 ^ (q - 1))%Z. rewrite <- Z.pow_succ_r by lia. f_equal. lia. }
        assert (R0 : r <> 0%Z) by (intros ->; discriminate Odd). split; [exact R0|]. apply Rabs_def2 in H. assert (1 <= IZR r) by (apply IZR_le; lia).
        assert (IZR r + 1 <= IZR (2 ^ q)) by (rewrite <- plus_IZR; apply IZR_le; lia). lra. }
    split; [|split].
    + destruct Bound as [(_ & ->)|(_ & B)]; [replace (_ - _) with 0 by ring; lra | split; [nra|]]. rewrite <- One. apply Rmult_lt_compat_r; lra.
    + replace ((IZR h + (w - IZR (2 ^ q * h)) * pow (- q)) * pow q) with (IZR h * pow q + (w - IZR (2 ^ q * h)) * (pow q * pow (- q))) by ring. rewrite Pq, mult_IZR, pow_IZR by lia. ring.
    + destruct Bound as [(-> & ->)|(N & B)]; [cbn; split; [discriminate | intros; lra]|]. replace (r =? 0)%Z with false by (symmetry; apply Z.eqb_neq; lia). split; [intros _; nra | reflexivity].
Qed.

Definition signed (negative : bool) (x : Z) : Z := if negative then (- x)%Z else x.

Lemma signed_value (negative : bool) (x : Z) : IZR (signed negative x) = sg negative * IZR x.
Proof. destruct negative; unfold signed, sg; [rewrite opp_IZR|]; ring. Qed.

Lemma sum_value (N x y : Z) (nx ny : bool) : (1 <= N)%Z -> (0 <= x < 2 ^ (64 * N - 2))%Z -> (0 <= y < 2 ^ (64 * N - 2))%Z ->
  let v := (signed nx x + signed ny y)%Z in let sum := wide_add N (wide_negate_if N x nx) (wide_negate_if N y ny) in
  wide_negative N sum = (v <? 0)%Z /\ wide_negate_if N sum (v <? 0)%Z = Z.abs v.
Proof.
  intros HN Hx Hy v sum. set (M := (2 ^ (64 * N))%Z). assert (E1 : (M = 2 * 2 ^ (64 * N - 1))%Z) by (unfold M; rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (E2 : (2 ^ (64 * N - 1) = 2 * 2 ^ (64 * N - 2))%Z) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (Bv : (- 2 ^ (64 * N - 1) < v < 2 ^ (64 * N - 1))%Z) by (unfold v, signed; destruct nx, ny; lia).
  assert (Es : sum = wrap (64 * N) v).
  { unfold sum, wide_add, wide_negate_if. apply wrap_unique; [lia|]. unfold v, signed.
    assert (W : forall z, (2 ^ (64 * N) | wrap (64 * N) (- z) + z)%Z) by (intros z; replace (wrap (64 * N) (- z) + z)%Z with (wrap (64 * N) (- z) - - z)%Z by lia; apply wrap_divides; lia).
    destruct (W x) as (a & Ea), (W y) as (b & Eb). destruct nx, ny; [exists (a + b)%Z | exists a | exists b | exists 0%Z]; lia. }
  rewrite Es. unfold wide_negative, wide_negate_if. destruct (Z.ltb_spec v 0) as [V|V].
  - assert (W : wrap (64 * N) v = (v + M)%Z). { unfold wrap. fold M. rewrite <- (Z_mod_plus_full v 1 M), Z.mul_1_l. apply Z.mod_small. lia. }
    rewrite W. split; [apply Z.leb_le; lia|]. transitivity (wrap (64 * N) (- v)); [apply wrap_unique; [lia | exists (-1)%Z; fold M; lia] | rewrite wrap_small by (fold M; lia); lia].
  - rewrite wrap_small by (fold M; lia). split; [apply Z.leb_gt; lia | lia].
Qed.

Lemma wide_of_two (n : nat) (a b : Z) : (2 <= n)%nat -> wide_of_n n (update (update (fun _ => 0%Z) 0 a) 1 b) = (a + b * 2 ^ 64)%Z.
Proof.
  intros H. induction n as [|n IH]; [lia|]. destruct (Nat.eq_dec n 1) as [->|N1]; [unfold wide_of_n, update; simpl Z.of_nat; simpl Z.mul; cbn [Z.eqb Pos.eqb]; lia|].
  cbn [wide_of_n]. rewrite IH by lia. unfold update. replace (Z.of_nat n =? 1)%Z with false by (symmetry; apply Z.eqb_neq; lia). replace (Z.of_nat n =? 0)%Z with false by (symmetry; apply Z.eqb_neq; lia). lia.
Qed.

Lemma bits_bound (x : Z) : (0 <= x)%Z -> (x < 2 ^ wide_bit_length x)%Z /\ (0 < x -> 2 ^ (wide_bit_length x - 1) <= x)%Z /\ (0 <= wide_bit_length x)%Z /\ (wide_bit_length x = 0 <-> x = 0)%Z.
Proof.
  intros H. unfold wide_bit_length. destruct (Z.eqb_spec x 0) as [->|N]; [repeat split; try reflexivity; lia|].
  assert (L := Z.log2_spec x ltac:(lia)). assert (L0 := Z.log2_nonneg x). replace (Z.log2 x + 1 - 1)%Z with (Z.log2 x) by lia. rewrite <- Z.add_1_r in L. repeat split; lia.
Qed.

Lemma bits_at_most (x n : Z) : (0 <= x < 2 ^ n)%Z -> (0 <= n)%Z -> (wide_bit_length x <= n)%Z.
Proof. intros H Hn. unfold wide_bit_length. destruct (Z.eqb_spec x 0) as [->|N]; [lia|]. assert (Z.log2 x < n)%Z by (apply Z.log2_lt_pow2; lia). lia. Qed.

Section Full.

Variables d least most infinity : Z.
Variable sign_bits : bool -> Z.
Variable round_to : bool -> Z -> bool -> Z -> Z.
Hypothesis round_to_rounds : forall negative top sticky exponent rest,
  (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  exists n, round_to negative top sticky exponent = Z.lor (sign_bits negative) n /\
            is_result d least most infinity ((IZR top + rest) * pow exponent) n.
Notation holds := (rounds d least most infinity sign_bits).

(* The rounded sum of two integers stands for v, and for numbers next to it. *)
Lemma rounded_sum_holds (N x y base : Z) (nx ny : bool) (w : R) : (1 <= N)%Z -> (0 <= x < 2 ^ (64 * N - 2))%Z -> (0 <= y < 2 ^ (64 * N - 2))%Z ->
  let v := (signed nx x + signed ny y)%Z in w = IZR v \/ (Z.odd v = true /\ (2 ^ 64 <= Z.abs v)%Z /\ Rabs (w - IZR v) < 1) ->
  holds (w * pow base) (rounded_sum round_to N x y base nx ny).
Proof.
  intros HN Hx Hy v Hw. unfold rounded_sum. cbv zeta. destruct (sum_value N x y nx ny HN Hx Hy) as (En & Ea). fold v in En, Ea. rewrite En, Ea. clear En Ea.
  destruct (Z.eq_dec v 0) as [V0|V0].
  - rewrite V0. cbn. destruct Hw as [->|(O & _)]; [left; split; [rewrite V0; ring | reflexivity] | rewrite V0 in O; discriminate O].
  - set (n := (v <? 0)%Z). assert (Es : IZR (Z.abs v) = sg n * IZR v).
    { unfold n, sg. destruct (Z.ltb_spec v 0); [rewrite Z.abs_neq, opp_IZR by lia; ring | rewrite Z.abs_eq by lia; ring]. }
    destruct (top_of (Z.abs v) (sg n * w) ltac:(lia)) as (Ht & rest & Hr & Ew & St).
    { destruct Hw as [->|(O & B & H)]; [left; now rewrite Es | right]. split; [|split].
      - destruct (Z.abs_spec v) as [(_ & ->)|(_ & ->)]; [exact O | now rewrite Z.odd_opp].
      - apply Z.log2_le_pow2; lia.
      - rewrite Es. replace (sg n * w - sg n * IZR v) with (sg n * (w - IZR v)) by ring. now rewrite sg_abs. }
    set (t := wide_top (Z.abs v)) in *. assert (H63 : (0 < 2 ^ 63)%Z) by reflexivity. replace (top_high t =? wrap 64 0)%Z with false by (symmetry; apply Z.eqb_neq; change (wrap 64 0) with 0%Z; lia).
    destruct (round_to_rounds n (top_high t) (negb (top_low t =? wrap 64 0)%Z || top_lost t)%bool (base + top_shift t + 64) rest Ht Hr St) as (k & Ek & Rk).
    assert (Ez : (IZR (top_high t) + rest) * pow (base + top_shift t + 64) = sg n * (w * pow base)).
    { replace (base + top_shift t + 64)%Z with (top_shift t + 64 + base)%Z by lia. rewrite bpow_plus, <- Rmult_assoc, <- Ew. ring. }
    rewrite Ez in Rk. assert (Pz : 0 < sg n * (w * pow base)).
    { rewrite <- Ez. apply Rmult_lt_0_compat; [|apply bpow_gt_0]. assert (0 < IZR (top_high t)) by (apply IZR_lt; lia). lra. }
    right. unfold rn. destruct n; unfold sg in *; [right; replace (- (w * pow base)) with (-1 * (w * pow base)) by ring | left; rewrite Rmult_1_l in *]; (split; [exact Pz | exists k; split; assumption]).
Qed.

(* Two terms in order, the first one larger. *)
Lemma terms_hold (L x ex y ey : Z) (nx ny : bool) : (1 <= L)%Z -> (0 < x)%Z -> (0 <= y)%Z ->
  (wide_bit_length x <= 64 * L + 52 /\ wide_bit_length y <= 106 \/ wide_bit_length x <= 106 /\ wide_bit_length y <= 64 * L + 52)%Z ->
  let tx := (ex + wide_bit_length x)%Z in let ty := (ey + wide_bit_length y)%Z in (y = 0 \/ ty <= tx)%Z ->
  let '(base, y', ey', any) := common_base (L + 3) ex tx y ey ty in let '(x', y') := aligned (L + 3) x ex y' ey' base any in
  holds (sg nx * (IZR x * pow ex) + sg ny * (IZR y * pow ey)) (rounded_sum round_to (L + 3) x' y' base nx ny).
Proof.
  intros HL Hx Hy Hb tx ty Ht. set (N := (L + 3)%Z). destruct (bits_bound x ltac:(lia)) as (X1 & X2 & X3 & _). specialize (X2 Hx). destruct (bits_bound y Hy) as (Y1 & Y2 & Y3 & Y4).
  set (lx := wide_bit_length x) in *. set (ly := wide_bit_length y) in *. assert (Lx : (1 <= lx)%Z).
  { unfold lx, wide_bit_length. replace (x =? 0)%Z with false by (symmetry; apply Z.eqb_neq; lia). assert (Q := Z.log2_nonneg x). lia. }
  unfold common_base. fold ly. set (b0 := ((if (ex <? tx - 64)%Z then ex else (tx - 64)%Z) - 2)%Z). assert (B0 : (b0 <= ex - 2 /\ tx - b0 = Z.max lx 64 + 2)%Z) by (unfold b0, tx; destruct (Z.ltb_spec ex (ex + lx - 64)); lia).
  cbv zeta.
  (* a shift to the left *)
  assert (Shift : forall z lz s, (0 <= z < 2 ^ lz)%Z -> (0 <= s)%Z -> (0 <= lz)%Z -> (lz + s <= 64 * L + 160)%Z -> wide_shift_left N z s = (z * 2 ^ s)%Z /\ (0 <= z * 2 ^ s < 2 ^ (64 * N - 2))%Z).
  { intros z lz s Hz Hs Hlz Hl. unfold wide_shift_left. rewrite Z.shiftl_mul_pow2 by lia. assert (P : (0 < 2 ^ s)%Z) by (apply Z.pow_pos_nonneg; lia).
    assert (B : (z * 2 ^ s < 2 ^ (64 * N - 2))%Z). { apply Z.lt_le_trans with (2 ^ lz * 2 ^ s)%Z; [nia|]. rewrite <- Z.pow_add_r by lia. apply Z.pow_le_mono_r; unfold N; lia. }
    assert (B' : (2 ^ (64 * N - 2) < 2 ^ (64 * N))%Z) by (apply Z.pow_lt_mono_r; unfold N; lia). split; [apply wrap_small|]; nia. }
  assert (Value : forall z e b, (b <= e)%Z -> IZR z * pow e = IZR (z * 2 ^ (e - b)) * pow b).
  { intros z e b H. rewrite mult_IZR, pow_IZR by lia. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia. }
  destruct (Z.eqb_spec ly 0) as [Z0|Z0]; cbn [negb andb].
  - (* no second term *)
    assert (y = 0%Z) by tauto. subst y. unfold aligned. destruct (Shift x lx (ex - b0)%Z) as (-> & Bx); [lia | lia | lia | unfold tx in B0; lia |].
    replace (sg nx * (IZR x * pow ex) + sg ny * (IZR 0 * pow ey)) with (IZR (signed nx (x * 2 ^ (ex - b0)) + signed ny 0) * pow b0).
    + apply rounded_sum_holds; [unfold N; lia | exact Bx | split; [lia | apply Z.pow_pos_nonneg; unfold N; lia] | now left].
    + rewrite (Value x ex b0) by lia. rewrite plus_IZR, !signed_value. ring.
  - assert (Ny : (0 < y)%Z) by (destruct (Z.eq_dec y 0); [tauto | lia]). specialize (Y2 Ny). assert (Htt : (ty <= tx)%Z) by lia.
    destruct (Z.leb_spec ty b0) as [C|C].
    + (* y acts like one unit *)
      unfold aligned. destruct (Shift x lx (ex - b0)%Z) as (-> & Bx); [lia | lia | lia | unfold tx in B0; lia |].
      unfold wide_from. assert (W1 : wrap (64 * N) 1 = 1%Z) by (apply wrap_small; split; [lia | apply (Z.pow_gt_1 2); unfold N; lia]). rewrite W1, Z.sub_diag.
      destruct (Shift 1%Z 1%Z 0%Z) as (-> & B1); [simpl; lia | lia | lia | lia |]. rewrite Z.mul_1_l in *. change (2 ^ 0)%Z with 1%Z in *.
      set (x' := (x * 2 ^ (ex - b0))%Z) in *. set (th := IZR y * pow ey * pow (- b0)).
      assert (Th : 0 < th < 1).
      { unfold th. rewrite Rmult_assoc, <- bpow_plus. assert (Py := bpow_gt_0 radix2 (ey + - b0)). split; [apply Rmult_lt_0_compat; [apply IZR_lt; lia | exact Py]|].
        apply Rlt_le_trans with (pow ly * pow (ey + - b0)); [apply Rmult_lt_compat_r; [exact Py|]; rewrite <- pow_IZR by lia; apply IZR_lt; lia|].
        rewrite <- bpow_plus. change 1 with (pow 0). apply bpow_le. unfold ty in C. lia. }
      replace (sg nx * (IZR x * pow ex) + sg ny * (IZR y * pow ey)) with ((sg nx * IZR x' + sg ny * th) * pow b0).
      * apply rounded_sum_holds; [unfold N; lia | exact Bx | exact B1 |]. right.
        assert (E4 : exists k, x' = (2 * k)%Z). { exists (x * 2 ^ (ex - b0 - 1))%Z. unfold x'. replace (ex - b0)%Z with (Z.succ (ex - b0 - 1)) at 1 by lia. rewrite Z.pow_succ_r by lia. lia. }
        destruct E4 as (k & Ek). assert (Big : (2 ^ 65 <= x')%Z).
        { unfold x'. apply Z.le_trans with (2 ^ (lx - 1) * 2 ^ (ex - b0))%Z; [rewrite <- Z.pow_add_r by lia; apply Z.pow_le_mono_r; unfold tx in B0; lia | apply Z.mul_le_mono_nonneg_r; [apply Z.pow_nonneg; lia | lia]]. }
        change (2 ^ 65)%Z with (2 ^ 64 + 2 ^ 64)%Z in Big. assert (H64 : (1 < 2 ^ 64)%Z) by reflexivity. split; [|split].
        -- rewrite Ek. unfold signed. destruct nx, ny; rewrite ?Z.odd_sub, ?Z.odd_add, ?Z.odd_opp, Z.odd_mul; reflexivity.
        -- unfold signed. destruct nx, ny; lia.
        -- rewrite plus_IZR, !signed_value. replace (sg nx * IZR x' + sg ny * th - (sg nx * IZR x' + sg ny * IZR 1)) with (sg ny * (th - 1)) by ring. rewrite sg_abs, Rabs_left by lra. lra.
      * rewrite (Value x ex b0) by lia. fold x'. unfold th. replace ((sg nx * IZR x' + sg ny * (IZR y * pow ey * pow (- b0))) * pow b0) with (sg nx * (IZR x' * pow b0) + sg ny * (IZR y * pow ey * (pow b0 * pow (- b0)))) by ring.
        rewrite pow_inverse. ring.
    + assert (Same : forall b, (b = if (ey <? b0)%Z then ey else b0) ->
        let '(x', y') := aligned N x ex y ey b true in holds (sg nx * (IZR x * pow ex) + sg ny * (IZR y * pow ey)) (rounded_sum round_to N x' y' b nx ny)).
      { intros b Eb. unfold aligned. assert (Hbx : (b <= ex /\ b <= ey /\ tx - b <= Z.max lx 64 + 2 + ly)%Z) by (rewrite Eb; unfold ty in C; destruct (Z.ltb_spec ey b0); lia).
        destruct (Shift x lx (ex - b)%Z) as (-> & Bx); [lia | lia | lia | unfold tx in Hbx; lia |]. destruct (Shift y ly (ey - b)%Z) as (-> & By); [lia | lia | lia | unfold tx, ty in *; lia |].
        replace (sg nx * (IZR x * pow ex) + sg ny * (IZR y * pow ey)) with (IZR (signed nx (x * 2 ^ (ex - b)) + signed ny (y * 2 ^ (ey - b))) * pow b).
        - apply rounded_sum_holds; [unfold N; lia | exact Bx | exact By | now left].
        - rewrite (Value x ex b), (Value y ey b) by lia. rewrite plus_IZR, !signed_value. ring. }
      destruct (ey <? b0)%Z eqn:Q; cbv iota; cbn [andb]; apply Same; now rewrite ?Q.
Qed.

Lemma in_order_cases (x ex y ey : Z) (nx ny : bool) : (0 <= x)%Z -> (0 <= y)%Z -> in_order x ex 0 y ey 0 nx ny =
  let tx := (ex + wide_bit_length x)%Z in let ty := (ey + wide_bit_length y)%Z in
  if ((x =? 0) || (negb (y =? 0) && (tx <? ty)))%bool%Z then (y, ey, ty, ny, x, ex, tx, nx) else (x, ex, tx, nx, y, ey, ty, ny).
Proof.
  intros Hx Hy. unfold in_order. cbv zeta. destruct (bits_bound x Hx) as (_ & _ & _ & X). destruct (bits_bound y Hy) as (_ & _ & _ & Y).
  assert (Ex : (wide_bit_length x =? 0)%Z = (x =? 0)%Z) by (destruct (Z.eqb_spec (wide_bit_length x) 0), (Z.eqb_spec x 0); tauto).
  assert (Ey : (wide_bit_length y =? 0)%Z = (y =? 0)%Z) by (destruct (Z.eqb_spec (wide_bit_length y) 0), (Z.eqb_spec y 0); tauto).
  rewrite Ex, Ey, Z.gtb_ltb. destruct (_ || _)%bool; reflexivity.
Qed.

Lemma finish_full_holds (L s exponent : Z) (negative : bool) (a b c : Z * Z * bool) : (1 <= L)%Z -> (0 <= s <= 2 ^ (64 * L - 1))%Z ->
  (0 <= mantissa_of a < 2 ^ 53)%Z -> (0 <= mantissa_of b < 2 ^ 53)%Z -> (0 <= mantissa_of c < 2 ^ 53)%Z ->
  holds (sg (sign_of a) * (IZR (mantissa_of a) * pow (exponent_of a)) * (sg negative * IZR s) * pow exponent +
         sg (sign_of b) * (IZR (mantissa_of b) * pow (exponent_of b)) * (sg (sign_of c) * (IZR (mantissa_of c) * pow (exponent_of c)))) (finish_full round_to L a s negative exponent b c).
Proof.
  intros HL Hs Ha Hb Hc. unfold finish_full, full_product, full_addend, addend_scale. change (full_limbs L) with (L + 3)%Z. set (N := (L + 3)%Z).
  set (ma := mantissa_of a) in *. set (mb := mantissa_of b) in *. set (mc := mantissa_of c) in *.
  assert (Bx : (0 <= s * ma < 2 ^ (64 * L + 52))%Z).
  { split; [apply Z.mul_nonneg_nonneg; lia|]. apply Z.le_lt_trans with (2 ^ (64 * L - 1) * ma)%Z; [apply Z.mul_le_mono_nonneg_r; lia|].
    replace (64 * L + 52)%Z with (64 * L - 1 + 53)%Z by lia. rewrite Z.pow_add_r by lia. apply Z.mul_lt_mono_pos_l; [apply Z.pow_pos_nonneg; lia | lia]. }
  assert (Ex : wide_mul N s ma = (s * ma)%Z).
  { unfold wide_mul. apply wrap_small. split; [lia|]. apply Z.lt_trans with (2 ^ (64 * L + 52))%Z; [lia | apply Z.pow_lt_mono_r; unfold N; lia]. }
  assert (By : (0 <= mb * mc < 2 ^ 106)%Z) by (split; [nia|]; change (2 ^ 106)%Z with (2 ^ 53 * 2 ^ 53)%Z; nia).
  assert (H106 : (2 ^ 106 < 2 ^ 128)%Z) by reflexivity.
  assert (Ey : wide_of N (update (update (fun _ => 0%Z) 0 (wrap 64 (wrap 128 (mb * mc)))) 1 (wrap 64 (Z.shiftr (wrap 128 (mb * mc)) 64))) = (mb * mc)%Z).
  { rewrite (wrap_small 128) by lia. unfold wide_of. rewrite wide_of_two by (unfold N; lia). rewrite Z.shiftr_div_pow2 by lia. set (p := (mb * mc)%Z) in *. unfold wrap at 2.
    rewrite (Z.mod_small (p / 2 ^ 64)) by (split; [apply Z.div_pos; lia | apply Z.div_lt_upper_bound; [lia|]; change (2 ^ 64 * 2 ^ 64)%Z with (2 ^ 128)%Z; lia]).
    unfold wrap. assert (D := Z.div_mod p (2 ^ 64) ltac:(discriminate)). lia. }
  rewrite Ex, Ey. clear Ex Ey. rewrite in_order_cases by lia. cbv zeta.
  set (x := (s * ma)%Z) in *. set (y := (mb * mc)%Z) in *. set (ex := (exponent + exponent_of a)%Z). set (ey := (exponent_of b + exponent_of c)%Z).
  assert (Lx : (wide_bit_length x <= 64 * L + 52)%Z) by (apply bits_at_most; lia). assert (Ly : (wide_bit_length y <= 106)%Z) by (apply bits_at_most; lia).
  set (nx := negb (Z.b2z negative =? Z.b2z (sign_of a))%Z). set (ny := negb (Z.b2z (sign_of b) =? Z.b2z (sign_of c))%Z).
  match goal with |- holds ?z _ => replace z with (sg nx * (IZR x * pow ex) + sg ny * (IZR y * pow ey)) end.
  2: { unfold nx, ny, x, y, ex, ey. rewrite !sg_differs, !mult_IZR, !bpow_plus. ring. }
  destruct ((x =? 0) || (negb (y =? 0) && (ex + wide_bit_length x <? ey + wide_bit_length y)))%bool%Z eqn:C.
  - destruct (Z.eq_dec y 0) as [Y0|Y0].
    + (* both are zero *)
      assert (X0 : x = 0%Z). { destruct (Z.eqb_spec x 0) as [Q|Q]; [exact Q|]. rewrite Y0 in C. discriminate C. }
      rewrite X0, Y0. unfold common_base. change (wide_bit_length 0) with 0%Z. cbn [Z.eqb negb andb]. unfold aligned.
      assert (Sh : forall n, wide_shift_left N 0 n = 0%Z) by (intros n; unfold wide_shift_left; rewrite Z.shiftl_0_l; reflexivity). rewrite Sh.
      replace (sg nx * (IZR 0 * pow ex) + sg ny * (IZR 0 * pow ey)) with (IZR (signed ny 0 + signed nx 0) * pow ((if (ey <? ey + 0 - 64)%Z then ey else (ey + 0 - 64)%Z) - 2)) by (rewrite plus_IZR, !signed_value; ring).
      apply rounded_sum_holds; [unfold N; lia | split; [lia | apply Z.pow_pos_nonneg; unfold N; lia] | split; [lia | apply Z.pow_pos_nonneg; unfold N; lia] | now left].
    + rewrite Rplus_comm. assert (T := terms_hold L y ey x ex ny nx HL ltac:(lia) ltac:(lia) ltac:(right; lia)). cbv zeta in T. fold N in T.
      destruct (common_base _ _ _ _ _ _) as (((base, y'), ey'), any). destruct (aligned _ _ _ _ _ _ _) as (x', y''). apply T.
      destruct (Z.eqb_spec x 0) as [Q|Q]; [now left | right]. cbn [orb] in C. apply andb_prop in C as (_ & C). apply Z.ltb_lt in C. lia.
  - apply orb_false_iff in C as (C1 & C2). apply Z.eqb_neq in C1. assert (T := terms_hold L x ex y ey nx ny HL ltac:(lia) ltac:(lia) ltac:(left; lia)). cbv zeta in T. fold N in T.
    destruct (common_base _ _ _ _ _ _) as (((base, y'), ey'), any). destruct (aligned _ _ _ _ _ _ _) as (x', y''). apply T.
    destruct (Z.eqb_spec y 0) as [Q|Q]; [now left | right]. cbn [negb andb] in C2. apply Z.ltb_ge in C2. lia.
Qed.

End Full.

(* round_to for doubles and floats. *)
Lemma bits64_round (n : bool) (top : Z) (sticky : bool) (e : Z) (r : R) : (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= r < 1 -> (sticky = true <-> 0 < r) ->
  exists k, bits64 n top sticky e = Z.lor (sign64 n) k /\ is_result 53 (-1074) 971 9218868437227405312 ((IZR top + r) * pow e) k.
Proof. intros Ht Hr Hs. destruct (round_to_correct (sign64 n) top e r sticky Ht Hr Hs) as (Q & _). apply Q. destruct n; split; (discriminate || reflexivity). Qed.

Lemma bits32_round (n : bool) (top : Z) (sticky : bool) (e : Z) (r : R) : (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= r < 1 -> (sticky = true <-> 0 < r) ->
  exists k, bits32 n top sticky e = Z.lor (sign32 n) k /\ is_result 24 (-149) 104 2139095040 ((IZR top + r) * pow e) k.
Proof. intros Ht Hr Hs. destruct (round_to_correct (sign32 n) top e r sticky Ht Hr Hs) as (_ & Q). apply Q. destruct n; split; (discriminate || reflexivity). Qed.

(* Theorem: for an integer S of L limbs, finish_full returns RN(alpha S 2^exponent + beta c), for doubles and for floats: what round_within expects of it. *)
Theorem finish_full_correct (decode : R -> Z * Z * bool) (L s exponent : Z) (negative : bool) (alpha beta c : R) : decodes decode ->
  (1 <= L)%Z -> (0 <= s <= 2 ^ (64 * L - 1))%Z -> format64 alpha -> format64 beta -> format64 c ->
  resolves decode rounds64 (finish_full bits64 L) s negative alpha (sg negative * IZR s) exponent beta c /\
  resolves decode rounds32 (finish_full bits32 L) s negative alpha (sg negative * IZR s) exponent beta c.
Proof.
  intros Hd HL Hs Fa Fb Fc. destruct (Hd alpha Fa) as (Ma & Ea), (Hd beta Fb) as (Mb & Eb), (Hd c Fc) as (Mc & Ec).
  assert (Term : forall b e, b = (if has_addend beta then decode beta else (0%Z, 0%Z, false)) -> e = (if has_addend beta then decode c else (0%Z, 0%Z, false)) ->
    (0 <= mantissa_of b < 2 ^ 53)%Z /\ (0 <= mantissa_of e < 2 ^ 53)%Z /\
    beta * c = sg (sign_of b) * (IZR (mantissa_of b) * pow (exponent_of b)) * (sg (sign_of e) * (IZR (mantissa_of e) * pow (exponent_of e)))).
  { intros b e -> ->. unfold has_addend. destruct (Req_bool_spec 0 beta) as [Z0|Z0]; cbn [negb].
    - change (mantissa_of (0%Z, 0%Z, false)) with 0%Z. split; [split; [lia | reflexivity]|]. split; [split; [lia | reflexivity]|]. rewrite <- Z0. simpl sg. ring.
    - rewrite <- Eb, <- Ec. auto. }
  split; intros b e Hb He; destruct (Term b e Hb He) as (B & C & ->).
  - assert (H := finish_full_holds 53 (-1074) 971 9218868437227405312 sign64 bits64 bits64_round L s exponent negative _ b e HL Hs Ma B C). now rewrite <- Ea in H.
  - assert (H := finish_full_holds 24 (-149) 104 2139095040 sign32 bits32 bits32_round L s exponent negative _ b e HL Hs Ma B C). now rewrite <- Ea in H.
Qed.

(* The result of wide_top. *)
Lemma wide_top_leading (A : Z) (negative : bool) : (0 <= A)%Z -> let t := wide_top A in
  exists rest, leading negative (top_lost t) (top_high t) (top_low t) (top_shift t) rest (sg negative * IZR A).
Proof.
  intros HA t. unfold t, wide_top, leading. destruct (Z.eqb_spec A 0) as [->|N].
  - exists 0. cbn. split; [now left|]. split; [lia|]. split; [lra|]. split; [split; [discriminate | lra]|]. ring.
  - cbv zeta. unfold top_high, top_low, top_shift, top_lost. cbn [fst snd]. set (s := (Z.log2 A - 127)%Z). assert (Lg := Z.log2_spec A ltac:(lia)). assert (L0 := Z.log2_nonneg A).
    destruct (Z.le_gt_cases s 0) as [S|S].
    + exists 0. replace (Z.shiftr A (s + 64)) with (A * 2 ^ (- s) / 2 ^ 64)%Z.
      2: { replace (A * 2 ^ (- s))%Z with (Z.shiftr A s) by (rewrite <- Z.shiftl_mul_pow2 by lia; now rewrite Z.shiftl_opp_r). rewrite <- Z.shiftr_div_pow2 by lia. now rewrite Z.shiftr_shiftr by lia. }
      replace (Z.shiftr A s) with (A * 2 ^ (- s))%Z by (rewrite <- Z.shiftl_mul_pow2 by lia; now rewrite Z.shiftl_opp_r). set (B := (A * 2 ^ (- s))%Z).
      assert (HB : (2 ^ 127 <= B < 2 ^ 128)%Z).
      { replace 127%Z with (Z.log2 A + - s)%Z at 1 by (unfold s; lia). replace 128%Z with (Z.succ (Z.log2 A) + - s)%Z by (unfold s; lia). rewrite !Z.pow_add_r by lia. assert (0 < 2 ^ (- s))%Z by (apply Z.pow_pos_nonneg; lia). unfold B. nia. }
      assert (D := Z.div_mod B (2 ^ 64) ltac:(discriminate)). assert (M := Z.mod_pos_bound B (2 ^ 64) ltac:(reflexivity)). change (2 ^ 128)%Z with (2 ^ 64 * 2 ^ 64)%Z in HB. change (2 ^ 127)%Z with (2 ^ 63 * 2 ^ 64)%Z in HB.
      split; [right; split; [apply Z.div_le_lower_bound | apply Z.div_lt_upper_bound]; lia|]. split; [exact M|]. split; [lra|]. split.
      * rewrite Z.max_l, Z.mod_1_r by lia. cbn. split; [discriminate | lra].
      * f_equal. rewrite Rplus_0_r, <- (pow_IZR 64), <- mult_IZR, <- plus_IZR by lia. unfold wrap. replace (B / 2 ^ 64 * 2 ^ 64 + B mod 2 ^ 64)%Z with B by lia. unfold B. rewrite mult_IZR, pow_IZR by lia.
        rewrite Rmult_assoc, <- bpow_plus. replace (- s + s)%Z with 0%Z by lia. simpl. ring.
    + assert (P : (0 < 2 ^ s)%Z) by (apply Z.pow_pos_nonneg; lia). rewrite Z.max_r by lia. set (r := (A mod 2 ^ s)%Z). assert (Hr : (0 <= r < 2 ^ s)%Z) by (apply Z.mod_pos_bound; lia).
      rewrite <- Z.shiftr_shiftr by lia. rewrite !Z.shiftr_div_pow2 by lia. set (B := (A / 2 ^ s)%Z). assert (DA : A = (2 ^ s * B + r)%Z) by (apply Z.div_mod; lia).
      assert (HB : (2 ^ 127 <= B < 2 ^ 128)%Z).
      { replace (Z.log2 A) with (s + 127)%Z in Lg by (unfold s; lia). replace (Z.succ (s + 127)) with (s + 128)%Z in Lg by lia. rewrite !Z.pow_add_r in Lg by lia. split; [apply Z.div_le_lower_bound | apply Z.div_lt_upper_bound]; lia. }
      assert (D := Z.div_mod B (2 ^ 64) ltac:(discriminate)). assert (M := Z.mod_pos_bound B (2 ^ 64) ltac:(reflexivity)). change (2 ^ 128)%Z with (2 ^ 64 * 2 ^ 64)%Z in HB. change (2 ^ 127)%Z with (2 ^ 63 * 2 ^ 64)%Z in HB.
      exists (IZR r * pow (- s)). assert (One := pow_inverse s). assert (Pn := bpow_gt_0 radix2 (- s)). assert (R0 : 0 <= IZR r) by (apply IZR_le; lia).
      split; [right; split; [apply Z.div_le_lower_bound | apply Z.div_lt_upper_bound]; lia|]. split; [exact M|]. split; [|split].
      * split; [apply Rmult_le_pos; lra|]. rewrite <- One. apply Rmult_lt_compat_r; [exact Pn|]. rewrite <- pow_IZR by lia. apply IZR_lt. lia.
      * destruct (Z.eqb_spec r 0) as [->|Nr]; cbn [negb]; [split; [discriminate | lra]|]. split; [intros _ | reflexivity]. apply Rmult_lt_0_compat; [apply IZR_lt; lia | exact Pn].
      * f_equal. rewrite <- (pow_IZR 64), <- mult_IZR, <- plus_IZR by lia. unfold wrap. replace (B / 2 ^ 64 * 2 ^ 64 + B mod 2 ^ 64)%Z with B by lia. rewrite DA at 1. rewrite plus_IZR, mult_IZR, pow_IZR by lia.
        replace ((IZR B + IZR r * pow (- s)) * pow s) with (pow s * IZR B + IZR r * (pow s * pow (- s))) by ring. rewrite One. ring.
Qed.

(* Without an error, the test always decides. *)
Lemma decided_without_error (round_to : bool -> Z -> bool -> Z -> Z) (decode : R -> Z * Z * bool) (full : Z * Z * bool -> Z -> bool -> Z -> Z * Z * bool -> Z * Z * bool -> Z)
  (magnitude : Z) (addend negative lost : bool) (high low shift exponent : Z) (alpha beta c : R) (before : Z) : decodes decode ->
  exists out, round_within_finite round_to decode full magnitude addend negative high low shift lost alpha 0 exponent beta c before = (true, out).
Proof.
  intros Hd. rewrite steps_of_round_within. assert (Z0 : mantissa_of (decode 0) = 0%Z).
  { destruct (Hd 0 (generic_format_0 _ _)) as (M & E). apply eq_IZR. assert (P := bpow_gt_0 radix2 (exponent_of (decode 0))). assert (S := sg_square (sign_of (decode 0))).
    symmetry in E. apply Rmult_integral in E as [E|E]; [rewrite E in S; lra|]. apply Rmult_integral in E as [E|E]; [exact E | lra]. }
  assert (Up : forall n, round_up_scaled decode 0 n = (true, 0%Z)) by (intros n; unfold round_up_scaled; rewrite Z0; reflexivity).
  assert (F : exists f fe pn, factor_of decode negative alpha 0 = (decode alpha, 0, f, fe, pn)).
  { unfold factor_of. cbv zeta. destruct (_ =? _)%Z; do 3 eexists; reflexivity. }
  destruct F as (f & fe & pn & ->). unfold powers_of_two. rewrite (Req_bool_true 0 (IZR 0)) by reflexivity. destruct addend; cbn [negb andb].
  - unfold product_of. rewrite Up. assert (Rest : forall b c' xv xr xe xn yv yr ye yn, exists out, rounded round_to full magnitude negative exponent 0 (decode alpha) b c' xv xr xe xn yv yr ye yn before = (true, out)).
    { intros. unfold rounded. destruct (round_sum _ _ _ _ _ _ _ _ _ _) as [[|] o]; [now exists o|]. rewrite Rlt_bool_false by lra. now eexists. }
    rewrite Rlt_bool_false by lra. unfold addend_of. destruct (_ && _)%bool; cbn [negb]; destruct (negb (wrap 128 _ =? wrap 128 0)%Z); apply Rest.
  - destruct (f =? _)%Z; [now eexists|]. cbn [andb]. unfold product_of. rewrite Up. assert (Rest : forall b c' xv xr xe xn yv yr ye yn, exists out, rounded round_to full magnitude negative exponent 0 (decode alpha) b c' xv xr xe xn yv yr ye yn before = (true, out)).
    { intros. unfold rounded. destruct (round_sum _ _ _ _ _ _ _ _ _ _) as [[|] o]; [now exists o|]. rewrite Rlt_bool_false by lra. now eexists. }
    rewrite Rlt_bool_false by lra. unfold addend_of. destruct (_ && _)%bool; cbn [negb]; apply Rest.
Qed.

(* finish of finite alpha, beta and c: round_within without an error, for S of N limbs. *)
Definition finish_sum (round_to : bool -> Z -> bool -> Z -> Z) (decode : R -> Z * Z * bool) (N : Z) (alpha : R) (s exponent : Z) (beta c : R) : bool * Z :=
  let '(negative, magnitude, top) := sign_and_size N s in
  round_within_finite round_to decode (finish_full round_to N) magnitude (has_addend beta) negative (top_high top) (top_low top) (top_shift top) (top_lost top) alpha 0 exponent beta c 0.

(* Theorem: an exact sum S of N limbs is always decided, and the result is RN(alpha S 2^exponent + beta c), for doubles and floats. *)
Theorem exact_sums_decided (decode : R -> Z * Z * bool) (N s exponent : Z) (alpha beta c : R) : decodes decode -> (1 <= N)%Z -> (- 2 ^ (64 * N - 1) <= s < 2 ^ (64 * N - 1))%Z ->
  format64 alpha -> format64 beta -> format64 c ->
  (exists out, finish_sum bits64 decode N alpha (wrap (64 * N) s) exponent beta c = (true, out) /\ rounds64 (alpha * IZR s * pow exponent + beta * c) out) /\
  (exists out, finish_sum bits32 decode N alpha (wrap (64 * N) s) exponent beta c = (true, out) /\ rounds32 (alpha * IZR s * pow exponent + beta * c) out).
Proof.
  intros Hd HN Hs Fa Fb Fc. unfold finish_sum, sign_and_size. set (M := (2 ^ (64 * N))%Z). assert (E1 : (M = 2 * 2 ^ (64 * N - 1))%Z) by (unfold M; rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (Sg : wide_negative N (wrap (64 * N) s) = (s <? 0)%Z /\ wide_negate_if N (wrap (64 * N) s) (s <? 0)%Z = Z.abs s).
  { unfold wide_negative, wide_negate_if. destruct (Z.ltb_spec s 0) as [V|V].
    - assert (W : wrap (64 * N) s = (s + M)%Z) by (unfold wrap; fold M; rewrite <- (Z_mod_plus_full s 1 M), Z.mul_1_l; apply Z.mod_small; lia).
      rewrite W. split; [apply Z.leb_le; lia|]. transitivity (wrap (64 * N) (- s)); [apply wrap_unique; [lia | exists (-1)%Z; fold M; lia] | rewrite wrap_small by (fold M; lia); lia].
    - rewrite wrap_small by (fold M; lia). split; [apply Z.leb_gt; lia | lia]. }
  destruct Sg as (-> & ->). set (n := (s <? 0)%Z). assert (Es : IZR s = sg n * IZR (Z.abs s)) by (unfold n; destruct (Z.ltb_spec s 0); simpl sg; [rewrite Z.abs_neq, opp_IZR by lia | rewrite Z.abs_eq by lia]; ring).
  destruct (wide_top_leading (Z.abs s) n ltac:(lia)) as (rest & Ld). rewrite <- Es in Ld.
  assert (Full := finish_full_correct decode N (Z.abs s) exponent n alpha beta c Hd HN ltac:(lia) Fa Fb Fc). rewrite <- Es in Full. destruct Full as (F64 & F32).
  assert (Self : Rabs (IZR s - IZR s) <= 0) by (unfold Rminus; rewrite Rplus_opp_r, Rabs_R0; lra). assert (F0 := generic_format_0 radix2 (FLT_exp (-1074) 53)).
  split.
  - destruct (decided_without_error bits64 decode (finish_full bits64 N) (Z.abs s) (has_addend beta) n (top_lost (wide_top (Z.abs s))) (top_high (wide_top (Z.abs s))) (top_low (wide_top (Z.abs s))) (top_shift (wide_top (Z.abs s))) exponent alpha beta c 0 Hd) as (out & E).
    exists out. split; [exact E|]. exact (round_within64_correct decode _ _ _ _ _ _ _ _ rest (IZR s) (IZR s) alpha 0 beta c 0 out Hd Ld Fa F0 Fb Fc Self F64 E).
  - destruct (decided_without_error bits32 decode (finish_full bits32 N) (Z.abs s) (has_addend beta) n (top_lost (wide_top (Z.abs s))) (top_high (wide_top (Z.abs s))) (top_low (wide_top (Z.abs s))) (top_shift (wide_top (Z.abs s))) exponent alpha beta c 0 Hd) as (out & E).
    exists out. split; [exact E|]. exact (round_within32_correct decode _ _ _ _ _ _ _ _ rest (IZR s) (IZR s) alpha 0 beta c 0 out Hd Ld Fa F0 Fb Fc Self F32 E).
Qed.

(* The pair as an integer. *)
Lemma pair_wide_value (round_to : bool -> Z -> bool -> Z -> Z) (decode : R -> Z * Z * bool) (N ms es mc ec : Z) (ns nc : bool) (alpha beta y : R) : (2 <= N)%Z -> (0 <= ms < 2 ^ 53)%Z -> (0 <= mc < 2 ^ 53)%Z ->
  (Z.abs (es - ec) <= 64 * N - 55)%Z -> exists v exponent, (- 2 ^ (64 * N - 1) <= v < 2 ^ (64 * N - 1))%Z /\
  IZR v * pow exponent = sg ns * (IZR ms * pow es) + sg nc * (IZR mc * pow ec) /\
  finish_pair_wide (fun L a s e b c => snd (finish_sum round_to decode L a s e b c)) N alpha ms es ns mc ec nc beta y = snd (finish_sum round_to decode N alpha (wrap (64 * N) v) exponent beta y).
Proof.
  intros HN Hs Hc Hg. unfold finish_pair_wide. set (e := if (es <? ec)%Z then es else ec). assert (He : (e <= es /\ e <= ec /\ es - e <= 64 * N - 55 /\ ec - e <= 64 * N - 55)%Z) by (unfold e; destruct (Z.ltb_spec es ec); lia).
  assert (B53 : (2 ^ 53 < 2 ^ 63)%Z) by reflexivity. assert (H64 : (2 ^ 64 <= 2 ^ (64 * N))%Z) by (apply Z.pow_le_mono_r; lia). change (2 ^ 64)%Z with (2 * 2 ^ 63)%Z in H64.
  assert (Sh : forall m k, (0 <= m < 2 ^ 53)%Z -> (0 <= k <= 64 * N - 55)%Z -> wide_shift_left N (wide_from N (wraps 64 m)) k = (m * 2 ^ k)%Z /\ (0 <= m * 2 ^ k < 2 ^ (64 * N - 2))%Z).
  { intros m k Hm Hk. unfold wide_from, wide_shift_left. rewrite (wraps_small 64 m) by (change (2 ^ (64 - 1))%Z with (2 ^ 63)%Z; lia). rewrite (wrap_small _ m) by lia. rewrite Z.shiftl_mul_pow2 by lia.
    assert (P : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia). assert (B : (m * 2 ^ k < 2 ^ (64 * N - 2))%Z).
    { apply Z.lt_le_trans with (2 ^ 53 * 2 ^ k)%Z; [nia|]. rewrite <- Z.pow_add_r by lia. apply Z.pow_le_mono_r; lia. }
    assert (B' : (2 ^ (64 * N - 2) < 2 ^ (64 * N))%Z) by (apply Z.pow_lt_mono_r; lia). split; [apply wrap_small|]; nia. }
  destruct (Sh ms (es - e)%Z Hs ltac:(lia)) as (-> & B1). destruct (Sh mc (ec - e)%Z Hc ltac:(lia)) as (-> & B2).
  set (v := (signed ns (ms * 2 ^ (es - e)) + signed nc (mc * 2 ^ (ec - e)))%Z). exists v, e.
  assert (E1 : (2 ^ (64 * N - 1) = 2 * 2 ^ (64 * N - 2))%Z) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia). split; [unfold v, signed; destruct ns, nc; lia|]. split.
  - unfold v. rewrite plus_IZR, !signed_value, !mult_IZR, !pow_IZR by lia. replace (pow es) with (pow (es - e) * pow e) by (rewrite <- bpow_plus; f_equal; lia). replace (pow ec) with (pow (ec - e) * pow e) by (rewrite <- bpow_plus; f_equal; lia). ring.
  - do 2 f_equal. unfold wide_add, wide_negate_if. apply wrap_unique; [lia|]. unfold v, signed.
    assert (W : forall z, (2 ^ (64 * N) | wrap (64 * N) (- z) + z)%Z) by (intros z; replace (wrap (64 * N) (- z) + z)%Z with (wrap (64 * N) (- z) - - z)%Z by lia; apply wrap_divides; lia).
    destruct (W (ms * 2 ^ (es - e))%Z) as (a & Ea), (W (mc * 2 ^ (ec - e))%Z) as (b & Eb). destruct ns, nc; [exists (a + b)%Z | exists a | exists b | exists 0%Z]; lia.
Qed.

(* Theorem: finish_pair returns RN(alpha (s + c) + beta y) for finite doubles s and c and finite alpha, beta and y, for doubles and floats. *)
Theorem finish_pair_correct (decode : R -> Z * Z * bool) (s c alpha beta y : R) : decodes decode -> (forall x, -1074 <= exponent_of (decode x) <= 971)%Z ->
  format64 s -> format64 c -> format64 alpha -> format64 beta -> format64 y ->
  let pair round_to := finish_pair (fun L a s e b c => snd (finish_sum round_to decode L a s e b c)) alpha (mantissa_of (decode s)) (exponent_of (decode s)) (sign_of (decode s))
    (mantissa_of (decode c)) (exponent_of (decode c)) (sign_of (decode c)) beta y in
  rounds64 (alpha * (s + c) + beta * y) (pair bits64) /\ rounds32 (alpha * (s + c) + beta * y) (pair bits32).
Proof.
  intros Hd He Fs Fc Fa Fb Fy pair. destruct (Hd s Fs) as (Ms & Es), (Hd c Fc) as (Mc & Ec). unfold pair, finish_pair. clear pair. change (wrap 64 0) with 0%Z.
  set (ms := mantissa_of (decode s)) in *. set (mc := mantissa_of (decode c)) in *. assert (Bs := He s). assert (Bc := He c).
  set (es := if (ms =? 0)%Z then exponent_of (decode c) else exponent_of (decode s)). set (ec := if (mc =? 0)%Z then es else exponent_of (decode c)).
  assert (Es' : s = sg (sign_of (decode s)) * (IZR ms * pow es)) by (unfold es; destruct (Z.eqb_spec ms 0) as [Z0|Z0]; [rewrite Es, Z0; ring | exact Es]).
  assert (Ec' : c = sg (sign_of (decode c)) * (IZR mc * pow ec)) by (unfold ec; destruct (Z.eqb_spec mc 0) as [Z0|Z0]; [rewrite Ec, Z0; ring | exact Ec]).
  assert (Ge : (Z.abs (es - ec) <= 2045)%Z) by (unfold ec, es; destruct (mc =? 0)%Z, (ms =? 0)%Z; lia). cbv zeta.
  assert (Gap : (if (es >? ec)%Z then (es - ec)%Z else (ec - es)%Z) = Z.abs (es - ec)) by (rewrite Z.gtb_ltb; destruct (Z.ltb_spec ec es); lia). rewrite Gap. clear Gap.
  assert (All : forall N, (2 <= N)%Z -> (Z.abs (es - ec) <= 64 * N - 55)%Z ->
    rounds64 (alpha * (s + c) + beta * y) (finish_pair_wide (fun L a s e b c => snd (finish_sum bits64 decode L a s e b c)) N alpha ms es (sign_of (decode s)) mc ec (sign_of (decode c)) beta y) /\
    rounds32 (alpha * (s + c) + beta * y) (finish_pair_wide (fun L a s e b c => snd (finish_sum bits32 decode L a s e b c)) N alpha ms es (sign_of (decode s)) mc ec (sign_of (decode c)) beta y)).
  { intros N HN Hg. split.
    - destruct (pair_wide_value bits64 decode N ms es mc ec (sign_of (decode s)) (sign_of (decode c)) alpha beta y HN Ms Mc Hg) as (v & e & Hv & Ev & ->). rewrite <- Es', <- Ec' in Ev.
      destruct (exact_sums_decided decode N v e alpha beta y Hd ltac:(lia) Hv Fa Fb Fy) as ((out & -> & Q) & _). rewrite <- Ev. now rewrite <- Rmult_assoc.
    - destruct (pair_wide_value bits32 decode N ms es mc ec (sign_of (decode s)) (sign_of (decode c)) alpha beta y HN Ms Mc Hg) as (v & e & Hv & Ev & ->). rewrite <- Es', <- Ec' in Ev.
      destruct (exact_sums_decided decode N v e alpha beta y Hd ltac:(lia) Hv Fa Fb Fy) as (_ & (out & -> & Q)). rewrite <- Ev. now rewrite <- Rmult_assoc. }
  destruct (Z.leb_spec (Z.abs (es - ec)) 73) as [G|G]; [apply All; lia|]. destruct (Z.leb_spec (Z.abs (es - ec)) 137) as [G'|G']; apply All; lia.
Qed.
