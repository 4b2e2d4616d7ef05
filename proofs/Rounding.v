(* The one rounding of integers, lib/numerics/rounding.hpp: round_to. *)
From Coq Require Import ZArith Reals Lra Lia Bool Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts RoundSource.

Open Scope R_scope.

Notation pow e := (bpow radix2 e).

(* The number whose bits, without the sign, are n: d bits of mantissa, and 2^least is the smallest positive number. *)
Definition number (d least n : Z) : R :=
  let q := (n / 2 ^ (d - 1))%Z in let m := (n mod 2 ^ (d - 1))%Z in
  if (q =? 0)%Z then IZR m * pow least else IZR (2 ^ (d - 1) + m) * pow (least + q - 1).

Lemma number_value (d least l kept : Z) : (1 < d)%Z -> (0 <= l)%Z -> (0 <= kept <= 2 ^ d)%Z ->
  (l = 0 \/ 2 ^ (d - 1) <= kept)%Z -> number d least (l * 2 ^ (d - 1) + kept) = IZR kept * pow (least + l).
Proof.
  intros Hd Hl Hk H. assert (E : (2 ^ d = 2 * 2 ^ (d - 1))%Z) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  set (p := (2 ^ (d - 1))%Z) in *. assert (P : (0 < p)%Z) by (apply Z.pow_pos_nonneg; lia).
  unfold number. fold p. cbv zeta. destruct (Z.lt_ge_cases kept p) as [L|L].
  - replace l with 0%Z by lia. rewrite Z.mul_0_l, Z.add_0_l, Z.div_small, Z.mod_small, Z.add_0_r by lia. reflexivity.
  - destruct (Z.eq_dec kept (2 * p)) as [K|K].
    + replace (l * p + kept)%Z with ((l + 2) * p)%Z by lia. rewrite Z.div_mul, Z.mod_mul by lia.
      replace (l + 2 =? 0)%Z with false by (symmetry; apply Z.eqb_neq; lia). rewrite K, Z.add_0_r, mult_IZR.
      replace (least + (l + 2) - 1)%Z with (1 + (least + l))%Z by lia. rewrite bpow_plus. change (pow 1) with 2. ring.
    + replace (l * p + kept)%Z with (kept - p + (l + 1) * p)%Z by lia.
      rewrite Z.div_add, Z.mod_add, Z.div_small, Z.mod_small by lia. rewrite Z.add_0_l.
      replace (l + 1 =? 0)%Z with false by (symmetry; apply Z.eqb_neq; lia).
      replace (p + (kept - p))%Z with kept by lia. do 2 f_equal. lia.
Qed.

(* The comparison of the dropped bits with one half decides the nearest integer, ties to even. *)
Lemma nearest_integer (top drop : Z) (rest : R) (sticky : bool) : (0 <= top < 2 ^ 64)%Z -> (1 <= drop <= 64)%Z ->
  0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  let kept := (top / 2 ^ drop)%Z in let r := ((top mod 2 ^ drop) * 2 ^ (64 - drop))%Z in
  let up := ((r >? 2 ^ 63)%Z || ((r =? 2 ^ 63)%Z && (sticky || negb (Z.even kept)))%bool)%bool in
  ZnearestE ((IZR top + rest) * pow (- drop)) = (kept + Z.b2z up)%Z.
Proof.
  intros Ht Hd Hr Hs kept r up. set (D := (2 ^ drop)%Z) in *.
  assert (Dp : (0 < D)%Z) by (apply Z.pow_pos_nonneg; lia).
  set (h := (2 ^ (drop - 1))%Z). assert (Eh : (D = 2 * h)%Z) by (unfold D, h; rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  set (g := (2 ^ (64 - drop))%Z) in *. assert (Gp : (0 < g)%Z) by (apply Z.pow_pos_nonneg; lia).
  assert (Eg : (h * g = 2 ^ 63)%Z) by (unfold h, g; rewrite <- Z.pow_add_r by lia; f_equal; lia).
  set (m := (top mod D)%Z) in *. assert (Hm : (0 <= m < D)%Z) by (apply Z.mod_pos_bound; lia).
  assert (Et : (top = D * kept + m)%Z) by (apply Z.div_mod; lia).
  assert (ED : IZR D * pow (- drop) = 1).
  { unfold D. rewrite (IZR_Zpower radix2) by lia. rewrite <- bpow_plus. replace (drop + - drop)%Z with 0%Z by lia. reflexivity. }
  set (x := (IZR top + rest) * pow (- drop)).
  assert (Ex : x = IZR kept + (IZR m + rest) * pow (- drop)).
  { unfold x. rewrite Et, plus_IZR, mult_IZR.
    replace ((IZR D * IZR kept + IZR m + rest) * pow (- drop)) with (IZR kept * (IZR D * pow (- drop)) + (IZR m + rest) * pow (- drop)) by ring.
    rewrite ED. ring. }
  assert (Pp : 0 < pow (- drop)) by apply bpow_gt_0.
  assert (F : 0 <= (IZR m + rest) * pow (- drop) < 1).
  { assert (M0 : 0 <= IZR m) by (apply IZR_le; lia).
    assert (M1 : IZR m + 1 <= IZR D) by (rewrite <- plus_IZR; apply IZR_le; lia). split; [nra|]. rewrite <- ED. nra. }
  assert (Fl : Zfloor x = kept) by (apply Zfloor_imp; rewrite plus_IZR; lra).
  assert (H2 : IZR h * pow (- drop) = / 2) by (rewrite Eh, mult_IZR in ED; lra).
  unfold Znearest. rewrite Fl. replace (x - IZR kept) with ((IZR m + rest) * pow (- drop)) by lra.
  assert (Up : IZR kept <> x -> Zceil x = (kept + 1)%Z) by (intros N; rewrite Zceil_floor_neq by (rewrite Fl; exact N); lia).
  assert (C : (Z.b2z up = if (h <? m)%Z then 1 else if (m =? h)%Z then Z.b2z (sticky || negb (Z.even kept)) else 0)%Z).
  { unfold up, r. rewrite <- Eg. destruct (Z.ltb_spec h m) as [L|L].
    - replace (m * g >? h * g)%Z with true by (symmetry; apply Z.gtb_lt; nia). reflexivity.
    - replace (m * g >? h * g)%Z with false by (symmetry; rewrite Z.gtb_ltb; apply Z.ltb_ge; nia). simpl orb.
      destruct (Z.eqb_spec m h) as [->|N]; [now rewrite Z.eqb_refl|].
      replace (m * g =? h * g)%Z with false by (symmetry; apply Z.eqb_neq; nia). reflexivity. }
  rewrite C. destruct (Z.ltb_spec h m) as [L|L].
  - assert (G : / 2 < (IZR m + rest) * pow (- drop)).
    { assert (IZR h + 1 <= IZR m) by (rewrite <- plus_IZR; apply IZR_le; lia). rewrite <- H2. nra. }
    rewrite Rcompare_Gt by exact G. apply Up. lra.
  - destruct (Z.eqb_spec m h) as [->|N].
    + destruct sticky; simpl orb.
      * assert (S : 0 < rest) by now apply Hs. rewrite Rcompare_Gt by (rewrite <- H2; nra). apply Up. nra.
      * assert (S : rest = 0) by (destruct (Rle_or_lt rest 0) as [Q|Q]; [lra | apply Hs in Q; discriminate Q]).
        rewrite S, Rplus_0_r, H2, Rcompare_Eq by reflexivity. destruct (Z.even kept); simpl; [lia|]. apply Up. nra.
    + assert (G : (IZR m + rest) * pow (- drop) < / 2).
      { assert (IZR m + 1 <= IZR h) by (rewrite <- plus_IZR; apply IZR_le; lia). rewrite <- H2. nra. }
      rewrite Rcompare_Lt by exact G. lia.
Qed.

Lemma odd_bit (kept : Z) : (0 <= kept < 2 ^ 64)%Z -> negb (Z.land kept (wrap 64 1) =? wrap 64 0)%Z = negb (Z.even kept).
Proof.
  intros H. change (wrap 64 1) with (Z.ones 1). change (wrap 64 0) with 0%Z. rewrite Z.land_ones by lia. change (2 ^ 1)%Z with 2%Z.
  rewrite Zmod_even. destruct (Z.even kept); reflexivity.
Qed.

(* The integer that the code keeps. *)
Definition kept_of (top drop : Z) (sticky : bool) : Z :=
  let kept := wrap 64 0 in
  if (drop <=? 64)%Z then
    let kept := (if (drop <? 64)%Z then Z.shiftr top drop else wrap 64 0) in
    let rest := (if (drop <? 64)%Z then wrap 64 (Z.shiftl top (64 - drop)) else top) in
    let half := wrap 64 (Z.shiftl (wrap 64 1) 63) in
    let up := ((rest >? half)%Z || ((rest =? half)%Z && (sticky || (negb (Z.land kept (wrap 64 1) =? wrap 64 0)%Z)))%bool)%bool in
    wrap 64 (kept + wrap 64 (Z.b2z up))
  else kept.

Lemma kept_nearest (top drop : Z) (rest : R) (sticky : bool) : (2 ^ 63 <= top < 2 ^ 64)%Z -> (1 <= drop)%Z ->
  0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  kept_of top drop sticky = ZnearestE ((IZR top + rest) * pow (- drop)).
Proof.
  intros Ht Hd Hr Hs. unfold kept_of. change (wrap 64 0) with 0%Z. change (wrap 64 (Z.shiftl (wrap 64 1) 63)) with (2 ^ 63)%Z.
  cbv zeta. destruct (Z.leb_spec drop 64) as [L|L].
  - rewrite (nearest_integer top drop rest sticky) by (auto; lia). cbv zeta.
    assert (K : (if (drop <? 64)%Z then Z.shiftr top drop else 0%Z) = (top / 2 ^ drop)%Z).
    { destruct (Z.ltb_spec drop 64) as [M|M]; [now rewrite Z.shiftr_div_pow2 by lia|].
      replace drop with 64%Z by lia. now rewrite Z.div_small by lia. }
    assert (R : (if (drop <? 64)%Z then wrap 64 (Z.shiftl top (64 - drop)) else top) = ((top mod 2 ^ drop) * 2 ^ (64 - drop))%Z).
    { destruct (Z.ltb_spec drop 64) as [M|M].
      - unfold wrap. rewrite Z.shiftl_mul_pow2 by lia.
        replace (2 ^ 64)%Z with (2 ^ drop * 2 ^ (64 - drop))%Z by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
        rewrite Z.mul_mod_distr_r; [reflexivity | |]; apply Z.pow_nonzero; lia.
      - replace drop with 64%Z by lia. rewrite Z.mod_small by lia. change (2 ^ (64 - 64))%Z with 1%Z. lia. }
    rewrite K, R. set (kept := (top / 2 ^ drop)%Z).
    assert (P : (2 ^ 1 <= 2 ^ drop)%Z) by (apply Z.pow_le_mono_r; lia). change (2 ^ 1)%Z with 2%Z in P.
    assert (B : (0 <= kept < 2 ^ 63)%Z).
    { split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; [lia|].
      change (2 ^ 64)%Z with (2 * 2 ^ 63)%Z in Ht. assert (0 < 2 ^ 63)%Z by reflexivity. nia. }
    change (2 ^ 63)%Z with 9223372036854775808%Z in B. rewrite odd_bit by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
    set (up := (_ || _)%bool). assert (U : (0 <= Z.b2z up <= 1)%Z) by (destruct up; simpl; lia).
    rewrite (wrap_small 64 (Z.b2z up)) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
    apply wrap_small. change (2 ^ 64)%Z with 18446744073709551616%Z. lia.
  - symmetry. apply Znearest_imp. simpl (IZR 0). rewrite Rminus_0_r.
    assert (T0 : 0 <= IZR top) by (apply IZR_le; lia). rewrite Rabs_pos_eq by (apply Rmult_le_pos; [lra | apply bpow_ge_0]).
    apply Rlt_le_trans with (pow 64 * pow (- drop)).
    + apply Rmult_lt_compat_r; [apply bpow_gt_0|]. assert (IZR top + 1 <= pow 64); [|lra].
      rewrite <- plus_IZR. change (pow 64) with (IZR 18446744073709551616). apply IZR_le. change (2 ^ 64)%Z with 18446744073709551616%Z in Ht. lia.
    + rewrite <- bpow_plus. change (/ 2) with (pow (-1)). apply bpow_le. lia.
Qed.

(* How many bits are dropped, in the format with d bits and smallest number 2^least. *)
Definition drop_of (d least exponent : Z) : Z :=
  if (exponent + (64 - d) <? least)%Z then (least - exponent)%Z else (64 - d)%Z.

Lemma round_kept (d least top exponent : Z) (rest : R) : (1 < d < 64)%Z -> (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= rest < 1 ->
  let drop := drop_of d least exponent in
  let kept := ZnearestE ((IZR top + rest) * pow (- drop)) in
  round radix2 (FLT_exp least d) ZnearestE ((IZR top + rest) * pow exponent) = IZR kept * pow (exponent + drop) /\
  (64 - d <= drop)%Z /\ (least <= exponent + drop)%Z /\ (0 <= kept <= 2 ^ d)%Z /\
  (exponent + drop = least \/ (drop = 64 - d /\ 2 ^ (d - 1) <= kept))%Z.
Proof.
  intros Hd Ht Hr drop kept.
  assert (T1 : pow 63 <= IZR top) by (change (pow 63) with (IZR (2 ^ 63)); apply IZR_le; lia).
  assert (T2 : IZR top + 1 <= pow 64).
  { rewrite <- plus_IZR. change (pow 64) with (IZR (2 ^ 64)). apply IZR_le. lia. }
  assert (Pe := bpow_gt_0 radix2 exponent). assert (Pd := bpow_gt_0 radix2 (- drop)).
  assert (M : mag_val radix2 _ (mag radix2 ((IZR top + rest) * pow exponent)) = (64 + exponent)%Z).
  { apply mag_unique. rewrite Rabs_pos_eq by (apply Rmult_le_pos; assert (P := bpow_gt_0 radix2 63); lra).
    replace (64 + exponent - 1)%Z with (63 + exponent)%Z by lia. rewrite !bpow_plus. split; [|apply Rmult_lt_compat_r; lra].
    apply Rmult_le_compat_r; lra. }
  assert (L : (64 - d <= drop)%Z /\ (least <= exponent + drop)%Z /\ (exponent + drop = least \/ drop = 64 - d)%Z /\
              (exponent + drop = FLT_exp least d (64 + exponent))%Z).
  { unfold drop, drop_of, FLT_exp. destruct (Z.ltb_spec (exponent + (64 - d)) least); lia. }
  destruct L as (L1 & L2 & L3 & L4).
  assert (Top : (IZR top + rest) * pow (- drop) <= pow d).
  { apply Rle_trans with (pow 64 * pow (- drop)); [apply Rmult_le_compat_r; lra|]. rewrite <- bpow_plus. apply bpow_le. lia. }
  split; [|split; [exact L1 | split; [exact L2 | split]]].
  - unfold round, F2R, scaled_mantissa, cexp. cbn [Fnum Fexp]. rewrite M, <- L4. f_equal. f_equal.
    unfold kept. f_equal. rewrite Rmult_assoc, <- bpow_plus. f_equal. f_equal. lia.
  - unfold kept. split.
    + rewrite <- (Zrnd_IZR ZnearestE 0). apply Zrnd_le; [typeclasses eauto|]. apply Rmult_le_pos; [|lra].
      assert (P := bpow_gt_0 radix2 63). lra.
    + rewrite <- (Zrnd_IZR ZnearestE (2 ^ d)). apply Zrnd_le; [typeclasses eauto|]. now rewrite (IZR_Zpower radix2) by lia.
  - destruct L3 as [L3|L3]; [now left | right]. split; [exact L3|]. unfold kept.
    rewrite <- (Zrnd_IZR ZnearestE (2 ^ (d - 1))). apply Zrnd_le; [typeclasses eauto|]. rewrite (IZR_Zpower radix2) by lia.
    replace (d - 1)%Z with (63 + - drop)%Z by lia. rewrite bpow_plus. apply Rmult_le_compat_r; lra.
Qed.

(* n is the right result without the sign: the bits of RN(z), or those of infinity if RN(z) overflows. *)
Definition is_result (d least most infinity : Z) (z : R) (n : Z) : Prop :=
  let v := round radix2 (FLT_exp least d) ZnearestE z in
  (v < pow (most + d) /\ number d least n = v /\ (0 <= n < infinity)%Z) \/ (pow (most + d) <= v /\ n = infinity).

Lemma assembled (d least most top exponent : Z) (rest : R) (sticky : bool) : (1 < d < 64)%Z -> (least <= most)%Z ->
  (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  let drop := drop_of d least exponent in let last := (exponent + drop)%Z in
  let infinity := ((most - least + 2) * 2 ^ (d - 1))%Z in
  let n := ((last - least) * 2 ^ (d - 1) + kept_of top drop sticky)%Z in
  if (last >? most)%Z then pow (most + d) <= round radix2 (FLT_exp least d) ZnearestE ((IZR top + rest) * pow exponent)
  else is_result d least most infinity ((IZR top + rest) * pow exponent) n /\ (0 <= kept_of top drop sticky <= 2 ^ d)%Z /\
       (0 <= last - least <= most - least)%Z.
Proof.
  intros Hd Hm Ht Hr Hs drop last infinity n. destruct (round_kept d least top exponent rest Hd Ht Hr) as (V & L1 & L2 & K & O).
  fold drop in V, L1, L2, K, O. unfold n. rewrite (kept_nearest top drop rest sticky) by (auto; lia).
  set (kept := ZnearestE ((IZR top + rest) * pow (- drop))) in *. fold last in V, L2, O.
  assert (P := bpow_gt_0 radix2 last).
  assert (E : (2 ^ d = 2 * 2 ^ (d - 1))%Z) by (rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  destruct (Z.gtb_spec last most) as [G|G].
  - rewrite V. destruct O as [O|(_ & O)]; [lia|]. apply Rle_trans with (pow (d - 1) * pow last).
    + rewrite <- bpow_plus. apply bpow_le. lia.
    + apply Rmult_le_compat_r; [lra|]. rewrite <- (IZR_Zpower radix2) by lia. apply IZR_le. exact O.
  - split; [|split; [exact K | lia]]. unfold is_result. rewrite V.
    assert (Nu : number d least ((last - least) * 2 ^ (d - 1) + kept) = IZR kept * pow last).
    { rewrite number_value by lia. do 2 f_equal. lia. }
    destruct (Rlt_or_le (IZR kept * pow last) (pow (most + d))) as [F|F].
    + left. split; [exact F|]. split; [exact Nu|]. split; [apply Z.add_nonneg_nonneg; [apply Z.mul_nonneg_nonneg|]; lia|].
      unfold infinity. assert (H : (last < most \/ kept < 2 ^ d)%Z).
      { destruct (Z.lt_ge_cases last most) as [Q|Q]; [now left | right]. apply lt_IZR. replace last with most in F by lia.
        rewrite Z.add_comm, bpow_plus in F || rewrite (Z.add_comm most), bpow_plus in F.
        apply Rmult_lt_reg_r in F; [|apply bpow_gt_0]. now rewrite (IZR_Zpower radix2) by lia. }
      assert (0 < 2 ^ (d - 1))%Z by (apply Z.pow_pos_nonneg; lia). nia.
    + right. split; [exact F|].
      assert (Kd : IZR kept <= pow d) by (rewrite <- (IZR_Zpower radix2) by lia; apply IZR_le; exact (proj2 K)).
      assert (Q : last = most).
      { destruct (Z.eq_dec last most) as [Q|Q]; [exact Q|]. exfalso. apply (Rlt_not_le _ _) with (2 := F).
        apply Rle_lt_trans with (pow d * pow last); [apply Rmult_le_compat_r; lra|]. rewrite <- bpow_plus. apply bpow_lt. lia. }
      assert (Kk : kept = (2 ^ d)%Z).
      { apply eq_IZR, Rle_antisym; rewrite (IZR_Zpower radix2) by lia; [exact Kd|]. apply Rmult_le_reg_r with (pow last); [exact P|].
        rewrite <- bpow_plus. replace (d + last)%Z with (most + d)%Z by lia. exact F. }
      unfold infinity. rewrite Kk, Q. lia.
Qed.

Lemma round_to64_value (sign top exponent : Z) (rest : R) (sticky : bool) : (0 <= sign < 2 ^ 64)%Z ->
  (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  let infinity := 9218868437227405312%Z in
  exists n, round_to64 sign infinity top sticky exponent = Z.lor sign n /\
            is_result 53 (-1074) 971 infinity ((IZR top + rest) * pow exponent) n.
Proof.
  intros Hsign Ht Hr Hs infinity. assert (A := assembled 53 (-1074) 971 top exponent rest sticky ltac:(lia) ltac:(lia) Ht Hr Hs).
  cbv zeta in A. change ((971 - -1074 + 2) * 2 ^ (53 - 1))%Z with infinity in A.
  set (drop := drop_of 53 (-1074) exponent) in *.
  assert (E : round_to64 sign infinity top sticky exponent =
    if (exponent + drop >? 971)%Z then Z.lor sign infinity else
    Z.lor (wrap 64 sign) (wrap 64 (wrap 64 (Z.shiftl (wrap 64 (exponent + drop - -1074)) (53 - 1)) + kept_of top drop sticky))) by reflexivity.
  rewrite E. clear E. destruct (exponent + drop >? 971)%Z.
  - exists infinity. split; [reflexivity|]. right. split; [exact A | reflexivity].
  - destruct A as (A & K & L). change (2 ^ 53)%Z with 9007199254740992%Z in K.
    rewrite (wrap_small 64 sign) by exact Hsign. rewrite (wrap_small 64 (_ - _)) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
    rewrite Z.shiftl_mul_pow2 by lia. change (2 ^ (53 - 1))%Z with 4503599627370496%Z in *.
    rewrite (wrap_small 64 (_ * _)) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
    rewrite wrap_small by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia). eexists. split; [reflexivity | exact A].
Qed.

Lemma round_to32_value (sign top exponent : Z) (rest : R) (sticky : bool) : (0 <= sign < 2 ^ 32)%Z ->
  (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  let infinity := 2139095040%Z in
  exists n, round_to32 sign infinity top sticky exponent = Z.lor sign n /\
            is_result 24 (-149) 104 infinity ((IZR top + rest) * pow exponent) n.
Proof.
  intros Hsign Ht Hr Hs infinity. assert (A := assembled 24 (-149) 104 top exponent rest sticky ltac:(lia) ltac:(lia) Ht Hr Hs).
  cbv zeta in A. change ((104 - -149 + 2) * 2 ^ (24 - 1))%Z with infinity in A.
  set (drop := drop_of 24 (-149) exponent) in *.
  assert (E : round_to32 sign infinity top sticky exponent =
    if (exponent + drop >? 104)%Z then Z.lor sign infinity else
    Z.lor (wrap 32 sign) (wrap 32 (wrap 32 (Z.shiftl (wrap 32 (exponent + drop - -149)) (24 - 1)) + wrap 32 (kept_of top drop sticky)))) by reflexivity.
  rewrite E. clear E. destruct (exponent + drop >? 104)%Z.
  - exists infinity. split; [reflexivity|]. right. split; [exact A | reflexivity].
  - destruct A as (A & K & L). change (2 ^ 24)%Z with 16777216%Z in K.
    rewrite (wrap_small 32 sign) by exact Hsign. rewrite (wrap_small 32 (_ - _)) by (change (2 ^ 32)%Z with 4294967296%Z; lia).
    rewrite (wrap_small 32 (kept_of _ _ _)) by (change (2 ^ 32)%Z with 4294967296%Z; lia).
    rewrite Z.shiftl_mul_pow2 by lia. change (2 ^ (24 - 1))%Z with 8388608%Z in *.
    rewrite (wrap_small 32 (_ * _)) by (change (2 ^ 32)%Z with 4294967296%Z; lia).
    rewrite wrap_small by (change (2 ^ 32)%Z with 4294967296%Z; lia). eexists. split; [reflexivity | exact A].
Qed.

(* Theorem: round_to returns the bits of RN((top + rest) 2^exponent) and the sign, for doubles and for floats, underflow
   and overflow included. *)
Theorem round_to_correct (sign top exponent : Z) (rest : R) (sticky : bool) :
  (2 ^ 63 <= top < 2 ^ 64)%Z -> 0 <= rest < 1 -> (sticky = true <-> 0 < rest) ->
  let z := (IZR top + rest) * pow exponent in
  ((0 <= sign < 2 ^ 64)%Z -> exists n, round_to64 sign 9218868437227405312 top sticky exponent = Z.lor sign n /\
                                      is_result 53 (-1074) 971 9218868437227405312 z n) /\
  ((0 <= sign < 2 ^ 32)%Z -> exists n, round_to32 sign 2139095040 top sticky exponent = Z.lor sign n /\
                                      is_result 24 (-149) 104 2139095040 z n).
Proof. intros Ht Hr Hs z. split; intros Hsign; [now apply round_to64_value | now apply round_to32_value]. Qed.
