(* The errors that the engines of integer sums pass to Ziv's test (lib/numerics/escalation.hpp): entries are rounded to integers, and a sum is known up to what that moves. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Fixed Sums ErrorsSource.

Open Scope R_scope.

(* Theorem: an entry a = +-mantissa 2^d_exponent below 2^exponent in magnitude becomes the integer nearest to a 2^(t - exponent), ties to even. *)
Theorem scale_entry_nearest (mantissa d_exponent exponent t : Z) (negative : bool) : (0 <= mantissa < 2 ^ 53)%Z -> (0 <= t)%Z ->
  IZR mantissa * bpow radix2 d_exponent < bpow radix2 exponent ->
  let a := (if negative then - IZR mantissa else IZR mantissa) * bpow radix2 d_exponent in
  let '(q, shift) := scale_entry mantissa d_exponent negative exponent t in
  IZR q * bpow radix2 shift = IZR (ZnearestE (a * bpow radix2 (t - exponent))) /\ (0 <= shift <= t)%Z /\ (Z.abs q <= 2 ^ 53)%Z.
Proof.
  intros Hm Ht Hb a. assert (Ea : a * bpow radix2 (t - exponent) = (if negative then - IZR mantissa else IZR mantissa) * bpow radix2 (d_exponent + t - exponent)).
  { unfold a. rewrite Rmult_assoc, <- bpow_plus. do 2 f_equal. lia. }
  rewrite Ea. clear Ea a. set (s := (d_exponent + t - exponent)%Z) in *. unfold scale_entry. fold s. change (wrap 64 0) with 0%Z. cbv zeta.
  assert (Opp : forall x, IZR (ZnearestE (- x)) = - IZR (ZnearestE x)).
  { intros x. rewrite <- opp_IZR. f_equal. rewrite Znearest_opp. f_equal. unfold Znearest. destruct (Rcompare _ _); try reflexivity.
    replace (negb (negb (Z.even (- (Zfloor x + 1))))) with (negb (Z.even (Zfloor x))); [reflexivity|].
    rewrite negb_involutive, Z.even_opp, Z.even_add. simpl (Z.even 1). destruct (Z.even (Zfloor x)); reflexivity. }
  assert (Sign : forall n : Z, IZR n = IZR (ZnearestE (IZR mantissa * bpow radix2 s)) -> forall q sh, IZR q * bpow radix2 sh = IZR n ->
    IZR (if negative then (- q)%Z else q) * bpow radix2 sh = IZR (ZnearestE ((if negative then - IZR mantissa else IZR mantissa) * bpow radix2 s))).
  { intros n Hn q sh Hq. destruct negative; [|congruence]. rewrite opp_IZR. replace (- IZR mantissa * bpow radix2 s) with (- (IZR mantissa * bpow radix2 s)) by ring.
    rewrite Opp, <- Hn. lra. }
  assert (Zero : IZR mantissa * bpow radix2 s < / 2 -> IZR 0 * bpow radix2 0 = IZR (ZnearestE ((if negative then - IZR mantissa else IZR mantissa) * bpow radix2 s))).
  { intros L. rewrite <- (Sign 0%Z) with (q := 0%Z) (sh := 0%Z); [destruct negative; simpl; ring | | simpl; ring].
    f_equal. symmetry. apply Znearest_imp. rewrite Rminus_0_r, Rabs_pos_eq; [exact L|]. apply Rmult_le_pos; [apply IZR_le; lia | apply bpow_ge_0]. }
  destruct (Z.eqb_spec mantissa 0) as [M0|M0]; cbn [orb].
  { split; [|split; [lia | simpl; lia]]. apply Zero. rewrite M0, Rmult_0_l. lra. }
  assert (St : (s < t)%Z).
  { assert (P : (d_exponent < exponent)%Z); [|unfold s; lia]. apply (lt_bpow radix2). eapply Rle_lt_trans; [|exact Hb]. assert (1 <= IZR mantissa) by (apply IZR_le; lia).
    assert (Q := bpow_gt_0 radix2 d_exponent). nra. }
  destruct (Z.ltb_spec s (-54)) as [L|L].
  { split; [|split; [lia | simpl; lia]]. apply Zero. apply Rlt_trans with (IZR (2 ^ 53) * bpow radix2 s).
    - apply Rmult_lt_compat_r; [apply bpow_gt_0 | apply IZR_lt; lia].
    - rewrite (IZR_Zpower radix2) by lia. rewrite <- bpow_plus. change (/ 2) with (bpow radix2 (-1)). apply bpow_lt. lia. }
  destruct (Z.ltb_spec s 0) as [N|N].
  - replace (s >? 0)%Z with false by (symmetry; rewrite Z.gtb_ltb; apply Z.ltb_ge; lia). change (wrap 64 1) with 1%Z. change (wrap 64 2) with 2%Z.
    set (n := (- s)%Z). assert (Hn : (1 <= n <= 54)%Z) by lia.
    rewrite Z.shiftl_1_l. set (h := (2 ^ (n - 1))%Z). assert (Hh : (0 < h <= 2 ^ 53)%Z) by (split; [apply Z.pow_pos_nonneg; lia | apply Z.pow_le_mono_r; lia]).
    assert (E2 : (2 * h = 2 ^ n)%Z) by (unfold h; rewrite <- Z.pow_succ_r by lia; f_equal; lia).
    rewrite (wrap_small 64 h) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia). rewrite (wrap_small 64 (2 * h)) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
    rewrite (wrap_small 64 (2 * h - 1)) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
    assert (Er : Z.land mantissa (2 * h - 1) = (mantissa mod 2 ^ n)%Z) by (replace (2 * h - 1)%Z with (Z.ones n) by (rewrite Z.ones_equiv; lia); apply Z.land_ones; lia).
    rewrite Er, Z.shiftr_div_pow2 by lia. set (q := (mantissa / 2 ^ n)%Z). set (r := (mantissa mod 2 ^ n)%Z).
    assert (Dm : mantissa = (2 ^ n * q + r)%Z) by (apply Z.div_mod; lia). assert (Hr : (0 <= r < 2 ^ n)%Z) by (apply Z.mod_pos_bound; lia).
    assert (Hq : (0 <= q < 2 ^ 53)%Z).
    { split; [apply Z.div_pos; lia|]. apply Z.le_lt_trans with mantissa; [|lia]. apply Z.div_le_upper_bound; [lia|]. nia. }
    assert (Odd : negb (Z.land q 1 =? 0)%Z = Z.odd q).
    { change 1%Z with (Z.ones 1). rewrite Z.land_ones by lia. change (2 ^ 1)%Z with 2%Z. rewrite Zmod_odd. destruct (Z.odd q); reflexivity. }
    rewrite Odd. set (up := ((r >? h)%Z || ((r =? h)%Z && Z.odd q))%bool). rewrite (wrap_small 64 (q + 1)) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
    assert (V : ZnearestE (IZR mantissa * bpow radix2 s) = (q + Z.b2z up)%Z).
    { assert (One : IZR (2 ^ n) * bpow radix2 s = 1) by (rewrite (IZR_Zpower radix2) by lia; rewrite <- bpow_plus; replace (n + s)%Z with 0%Z by lia; reflexivity).
      assert (X : IZR mantissa * bpow radix2 s = IZR q + IZR r * bpow radix2 s) by (rewrite Dm, plus_IZR, mult_IZR; transitivity (IZR q * (IZR (2 ^ n) * bpow radix2 s) + IZR r * bpow radix2 s); [ring | rewrite One; ring]).
      assert (Half : IZR h * bpow radix2 s = / 2) by (rewrite <- E2, mult_IZR in One; lra).
      assert (P := bpow_gt_0 radix2 s). assert (R0 : 0 <= IZR r) by (apply IZR_le; lia). assert (R1 : IZR r < IZR (2 ^ n)) by (apply IZR_lt; lia).
      assert (F : 0 <= IZR r * bpow radix2 s < 1) by (split; [nra | rewrite <- One; nra]).
      rewrite X. assert (Fl : Zfloor (IZR q + IZR r * bpow radix2 s) = q) by (apply Zfloor_imp; rewrite plus_IZR; lra).
      unfold Znearest. rewrite Fl. replace (IZR q + IZR r * bpow radix2 s - IZR q) with (IZR r * bpow radix2 s) by ring.
      assert (Ce : 0 < IZR r * bpow radix2 s -> Zceil (IZR q + IZR r * bpow radix2 s) = (q + 1)%Z) by (intros G; rewrite Zceil_floor_neq; rewrite Fl; [reflexivity | lra]).
      unfold up. destruct (Z.lt_trichotomy r h) as [C|[C|C]].
      - replace (r >? h)%Z with false by (symmetry; rewrite Z.gtb_ltb; apply Z.ltb_ge; lia). replace (r =? h)%Z with false by (symmetry; apply Z.eqb_neq; lia).
        apply IZR_lt in C. rewrite Rcompare_Lt by nra. simpl. lia.
      - rewrite C. replace (h >? h)%Z with false by (symmetry; rewrite Z.gtb_ltb; apply Z.ltb_ge; lia). rewrite Z.eqb_refl, Half, Rcompare_Eq by reflexivity.
        rewrite C, Half in Ce. rewrite <- Z.negb_odd. cbn [andb]. cbn [orb]. destruct (Z.odd q); cbn [negb]; cbv iota; simpl Z.b2z; [apply Ce; lra | lia].
      - replace (r >? h)%Z with true by (symmetry; rewrite Z.gtb_ltb; apply Z.ltb_lt; lia). apply IZR_lt in C. rewrite Rcompare_Gt by nra. simpl. apply Ce. nra. }
    replace (if up then (q + 1)%Z else q) with (q + Z.b2z up)%Z by (destruct up; simpl; lia).
    rewrite wraps_small by (destruct up; simpl Z.b2z; change (2 ^ (64 - 1))%Z with 9223372036854775808%Z; change (2 ^ 53)%Z with 9007199254740992%Z in Hq; lia).
    split; [|split; [lia|]].
    + apply (Sign (q + Z.b2z up)%Z); [now rewrite V | simpl (bpow radix2 0); ring].
    + destruct negative, up; simpl Z.b2z; lia.
  - rewrite wraps_small by (change (2 ^ (64 - 1))%Z with 9223372036854775808%Z; change (2 ^ 53)%Z with 9007199254740992%Z in Hm; lia).
    assert (Sh : (if (s >? 0)%Z then s else 0%Z) = s) by (destruct (Z.gtb_spec s 0); lia). rewrite Sh. split; [|split; [lia | destruct negative; lia]].
    assert (I : IZR mantissa * bpow radix2 s = IZR (mantissa * 2 ^ s)) by (rewrite mult_IZR, (IZR_Zpower radix2) by lia; reflexivity).
    apply (Sign (mantissa * 2 ^ s)%Z); [now rewrite I, (Zrnd_IZR ZnearestE) | now rewrite I].
Qed.

(* Rounding moves a product by no more than this. *)
Lemma rounded_product (x y x' y' dx dy : R) : 0 <= dx -> 0 <= dy -> Rabs (x' - x) <= dx / 2 -> Rabs (y' - y) <= dy / 2 ->
  Rabs (x' * y' - x * y) <= dx / 2 * Rabs y + dy / 2 * Rabs x + dx * dy / 4.
Proof.
  intros Px Py Hx Hy. replace (x' * y' - x * y) with (x * (y' - y) + (x' - x) * y + (x' - x) * (y' - y)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. assert (A := Rabs_triang (x * (y' - y)) ((x' - x) * y)). rewrite !Rabs_mult in *.
  assert (Qx := Rabs_pos x). assert (Qy := Rabs_pos y). assert (P1 := Rabs_pos (x' - x)). assert (P2 := Rabs_pos (y' - y)).
  assert (M1 : Rabs x * Rabs (y' - y) <= Rabs x * (dy / 2)) by now apply Rmult_le_compat_l.
  assert (M2 : Rabs (x' - x) * Rabs y <= dx / 2 * Rabs y) by now apply Rmult_le_compat_r.
  assert (M3 : Rabs (x' - x) * Rabs (y' - y) <= dx / 2 * (dy / 2)) by now apply Rmult_le_compat. lra.
Qed.

Definition multiple_of (last : Z) (x : R) : Prop := exists n : Z, x = IZR n * bpow radix2 last.

(* The arguments of line_error for a line: norm is positive if an entry is not zero, every entry is a multiple of 2^last, and lambda bounds the sum of the ceilings. *)
Definition line_known (xs : list R) (norm lambda : R) (E last scale : Z) : Prop :=
  format64 lambda /\ (lambda = 0 \/ 1 <= lambda) /\ (-200 <= E + scale - 25)%Z /\
  (norm <= 0 -> Forall (fun x => x = 0) xs) /\ Forall (multiple_of last) xs /\ sum_of (ceiling E) xs <= lambda.

Definition drops (norm : R) (last scale : Z) : R := if (negb (Rlt_bool 0 norm) || (last >=? - scale)%Z)%bool then 0 else 1.

Lemma drops_cases (norm : R) (last scale : Z) : drops norm last scale = 0 \/ drops norm last scale = 1.
Proof. unfold drops. destruct (_ || _)%bool; auto. Qed.

Lemma entry_moves (xs : list R) (norm lambda : R) (E last scale : Z) (x : R) : line_known xs norm lambda E last scale -> In x xs ->
  Rabs (IZR (nearest 0 (- scale) x) - x * bpow radix2 scale) <= drops norm last scale / 2.
Proof.
  intros (_ & _ & _ & Z0 & M & _) I. unfold nearest, scaled. replace (0 - - scale)%Z with scale by lia.
  rewrite Forall_forall in M. specialize (M x I). unfold drops. destruct (Rlt_bool_spec 0 norm) as [N|N]; cbn [negb]; cbv iota; cbn [orb].
  - rewrite Z.geb_leb. destruct (Z.leb_spec (- scale) last) as [L|L].
    + destruct M as (n & ->). rewrite Rmult_assoc, <- bpow_plus. assert (Q : IZR n * bpow radix2 (last + scale) = IZR (n * 2 ^ (last + scale))) by (rewrite mult_IZR, (IZR_Zpower radix2) by lia; reflexivity).
      rewrite Q, (Zrnd_IZR ZnearestE). unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. lra.
    + rewrite Rabs_minus_sym. eapply Rle_trans; [apply Znearest_half|]. lra.
  - specialize (Z0 N). rewrite Forall_forall in Z0. rewrite (Z0 x I), Rmult_0_l, (Zrnd_IZR ZnearestE 0). unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. lra.
Qed.

Lemma size_of_line (xs : list R) (norm lambda : R) (E last scale : Z) : line_known xs norm lambda E last scale ->
  sum_of Rabs xs * bpow radix2 scale / 2 <= lambda * bpow radix2 (E + scale - 25).
Proof.
  intros (_ & _ & _ & _ & _ & S). assert (P := bpow_gt_0 radix2 (24 - E)).
  assert (B : sum_of Rabs xs * bpow radix2 (24 - E) <= sum_of (ceiling E) xs).
  { clear S. induction xs as [|x xs IH]; [simpl; lra|]. change (sum_of Rabs (x :: xs)) with (sum_of Rabs xs + Rabs x). change (sum_of (ceiling E) (x :: xs)) with (sum_of (ceiling E) xs + ceiling E x).
    assert (U := Zceil_ub (Rabs x * bpow radix2 (24 - E))). unfold ceiling at 2. lra. }
  replace (bpow radix2 scale) with (bpow radix2 (24 - E) * bpow radix2 (E + scale - 24)) by (rewrite <- bpow_plus; f_equal; lia).
  replace (E + scale - 25)%Z with (E + scale - 24 + -1)%Z by lia. rewrite (bpow_plus radix2 (E + scale - 24) (-1)). change (bpow radix2 (-1)) with (/ 2).
  assert (Q := bpow_gt_0 radix2 (E + scale - 24)). nra.
Qed.

Lemma sum_moves (terms : list (R * R)) (sa sb : Z) (da db : R) : 0 <= da -> 0 <= db ->
  Forall (fun t => Rabs (IZR (nearest 0 (- sa) (fst t)) - fst t * bpow radix2 sa) <= da / 2 /\ Rabs (IZR (nearest 0 (- sb) (snd t)) - snd t * bpow radix2 sb) <= db / 2) terms ->
  Rabs (IZR (integer_sum 0 (- sa) (- sb) terms) - exact_sum terms * bpow radix2 (sa + sb)) <=
  db * (sum_of Rabs (map fst terms) * bpow radix2 sa / 2) + da * (sum_of Rabs (map snd terms) * bpow radix2 sb / 2) + da * db * INR (length terms) / 4.
Proof.
  intros Da Db. induction terms as [|(a, b) terms IH]; intros H.
  - unfold integer_sum, exact_sum, sum_of. simpl. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
  - inversion_clear H as [|? ? (Ha & Hb) H']. specialize (IH H'). cbn [fst snd] in *. cbn [map length fst snd]. rewrite S_INR.
    change (integer_sum 0 (- sa) (- sb) ((a, b) :: terms)) with (integer_sum 0 (- sa) (- sb) terms + nearest 0 (- sa) a * nearest 0 (- sb) b)%Z.
    change (exact_sum ((a, b) :: terms)) with (exact_sum terms + a * b). rewrite plus_IZR, mult_IZR.
    change (sum_of Rabs (a :: map fst terms)) with (sum_of Rabs (map fst terms) + Rabs a). change (sum_of Rabs (b :: map snd terms)) with (sum_of Rabs (map snd terms) + Rabs b).
    assert (P := rounded_product _ _ _ _ _ _ Da Db Ha Hb). rewrite !Rabs_mult, !(Rabs_pos_eq (bpow _ _)) in P by apply bpow_ge_0.
    replace ((exact_sum terms + a * b) * bpow radix2 (sa + sb)) with (exact_sum terms * bpow radix2 (sa + sb) + a * bpow radix2 sa * (b * bpow radix2 sb)) by (rewrite bpow_plus; ring).
    replace (IZR (integer_sum 0 (- sa) (- sb) terms) + IZR (nearest 0 (- sa) a) * IZR (nearest 0 (- sb) b) - (exact_sum terms * bpow radix2 (sa + sb) + a * bpow radix2 sa * (b * bpow radix2 sb)))
      with ((IZR (integer_sum 0 (- sa) (- sb) terms) - exact_sum terms * bpow radix2 (sa + sb)) + (IZR (nearest 0 (- sa) a) * IZR (nearest 0 (- sb) b) - a * bpow radix2 sa * (b * bpow radix2 sb))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.

(* The error of a line as the code computes it. *)
Lemma line_error_value (xs : list R) (norm lambda : R) (E last scale k : Z) (row : bool) : line_known xs norm lambda E last scale -> (0 <= k < 2 ^ 53)%Z ->
  let '(drop, error) := line_error norm lambda E last scale k row in
  drop = drops norm last scale /\ format64 error /\ (error = 0 \/ bpow radix2 (-201) <= error) /\
  lower * (lambda * bpow radix2 (E + scale - 25) + (if row then drop * IZR k / 4 else 0)) <= error.
Proof.
  intros (Fl & L & Sc & _) Hk. unfold line_error.
  assert (Ed : rd64 (IZR (if (negb (Rlt_bool (IZR 0) norm) || (last >=? - scale)%Z)%bool then 0 else 1)) = drops norm last scale).
  { unfold drops. destruct (_ || _)%bool; apply rd64_integer; lia. }
  rewrite Ed. set (d := drops norm last scale). split; [reflexivity|].
  assert (Hd : d = 0 \/ d = 1) by apply drops_cases.
  assert (P := bpow_gt_0 radix2 (E + scale - 25)). assert (L0 : 0 <= lambda) by lra.
  assert (Fh : format64 (lambda * bpow radix2 (E + scale - 25))).
  { apply format64_scaled; [exact Fl|]. destruct L as [->|L]; [now left | right]. rewrite Rabs_pos_eq by lra.
    apply Rle_trans with (bpow radix2 (E + scale - 25)); [apply bpow_le; lia | nra]. }
  unfold scale_double, rd64. rewrite (rnd64_exact _ Fh).
  assert (K0 : 0 <= IZR k) by (apply IZR_le; lia).
  assert (Fq : forall d, d = 0 \/ d = 1 -> format64 (d * IZR k / 4)).
  { intros x Hx. apply generic_format_FLT. exists (Float radix2 (if Req_bool x 0 then 0 else k) (-2)).
    - unfold F2R. cbn [Fnum Fexp]. destruct Hx as [->| ->]; [rewrite Req_bool_true by reflexivity | rewrite Req_bool_false by lra]; simpl; lra.
    - cbn [Fnum]. destruct (Req_bool x 0); [simpl; lia | change (Z.abs k < 2 ^ 53)%Z; lia].
    - cbn [Fexp]. lia. }
  assert (Q : (if row then rd64 (rd64 (d * rd64 (IZR k)) / IZR 4) else IZR 0) = (if row then d * IZR k / 4 else 0)).
  { destruct row; [|reflexivity]. rewrite (rd64_integer k) by lia.
    assert (Dk : rd64 (d * IZR k) = d * IZR k). { destruct Hd as [->| ->]; [rewrite Rmult_0_l; apply rd64_integer; lia | rewrite Rmult_1_l; apply rd64_integer; lia]. }
    rewrite Dk. apply rnd64_exact. apply Fq. exact Hd. }
  unfold rd64 in Q. rewrite Q. set (q := if row then d * IZR k / 4 else 0). assert (Fqq : format64 q) by (unfold q; destruct row; [now apply Fq | apply generic_format_0]).
  assert (Q0 : 0 <= q) by (unfold q; destruct row; [|lra]; destruct Hd as [->| ->]; lra).
  assert (X0 : 0 <= lambda * bpow radix2 (E + scale - 25)) by (apply Rmult_le_pos; lra).
  split; [apply rnd64_format|]. split.
  - assert (Hq : q = 0 \/ / 4 <= q).
    { unfold q. destruct row; [|now left]. destruct Hd as [->| ->]; [left; lra|]. destruct (Z.eq_dec k 0) as [->|Nk]; [left; lra | right]. assert (1 <= IZR k) by (apply IZR_le; lia). lra. }
    assert (Big : forall z, bpow radix2 (-201) <= z -> bpow radix2 (-201) <= rnd64 z) by (intros z Hz; apply rnd64_at_least; [lia | exact Hz]).
    destruct L as [->|L].
    + destruct Hq as [->|Hq]; [left; rewrite Rmult_0_l, Rplus_0_r; apply rnd64_zero | right]. apply Big. rewrite Rmult_0_l, Rplus_0_l.
      eapply Rle_trans; [|exact Hq]. change (/ 4) with (bpow radix2 (-2)). apply bpow_le. lia.
    + right. apply Big. apply Rle_trans with (bpow radix2 (E + scale - 25)); [apply bpow_le; lia | nra].
  - apply sum_at_least; [exact Fh | exact Fqq | lra].
Qed.

(* Two errors of lines, and their sum as every place computes it: with two or three roundings. *)
Definition pair_error (row col : R * R) : R := fst col * snd row + fst row * snd col.

Definition line_errors_good (e : R * R) : Prop := (fst e = 0 \/ fst e = 1) /\ format64 (snd e) /\ (snd e = 0 \/ bpow radix2 (-201) <= snd e).

Lemma line_errors_good_of (xs : list R) (norm lambda : R) (E last scale k : Z) (row : bool) : line_known xs norm lambda E last scale -> (0 <= k < 2 ^ 53)%Z ->
  line_errors_good (line_error norm lambda E last scale k row).
Proof.
  intros H Hk. assert (V := line_error_value xs norm lambda E last scale k row H Hk). destruct (line_error norm lambda E last scale k row) as (d, e). destruct V as (-> & F & Z0 & _).
  split; [apply drops_cases | now split].
Qed.

Lemma dropped_exact (d e : R) : d = 0 \/ d = 1 -> format64 e -> rnd64 (d * e) = d * e /\ format64 (d * e).
Proof.
  intros [->| ->] F; [rewrite Rmult_0_l; split; [apply rnd64_zero | apply generic_format_0] | rewrite Rmult_1_l; split; [now apply rnd64_exact | exact F]].
Qed.

Lemma pair_error_range (row col : R * R) : line_errors_good row -> line_errors_good col -> pair_error row col = 0 \/ bpow radix2 (-201) <= pair_error row col.
Proof.
  intros (D1 & _ & Z1) (D2 & _ & Z2). unfold pair_error. assert (P := bpow_gt_0 radix2 (-201)).
  destruct D1 as [->| ->], D2 as [->| ->]; destruct Z1 as [E1|Z1], Z2 as [E2|Z2]; try rewrite E1; try rewrite E2; (left; lra) || (right; lra).
Qed.

Lemma element_error_lower (row col : R * R) : line_errors_good row -> line_errors_good col -> lower * lower * (1 + / 1125899906842624) * pair_error row col <= element_error row col.
Proof.
  intros G1 G2. assert (Rg := pair_error_range _ _ G1 G2). destruct G1 as (D1 & F1 & Z1), G2 as (D2 & F2 & Z2). unfold element_error. rewrite enlargement. unfold rd64.
  destruct (dropped_exact _ _ D2 F1) as (E1 & G1). destruct (dropped_exact _ _ D1 F2) as (E2 & G2). rewrite E1, E2. change (fst col * snd row + fst row * snd col) with (pair_error row col).
  assert (L := lower_range). assert (P := bpow_gt_0 radix2 (-201)).
  assert (A : lower * pair_error row col <= rnd64 (pair_error row col)) by (apply sum_at_least; auto; unfold pair_error in Rg; lra).
  set (v := rnd64 (pair_error row col)) in *.
  assert (V : v = 0 \/ bpow radix2 (-201) <= v). { unfold v. destruct Rg as [->|Rg]; [left; apply rnd64_zero | right; apply rnd64_at_least; [lia | exact Rg]]. }
  assert (B : lower * (v * (1 + / 1125899906842624)) <= rnd64 (v * (1 + / 1125899906842624))).
  { apply rounded_at_least. destruct V as [->|V]; [left; ring | right]. apply Rle_trans with (bpow radix2 (-201)); [unfold normal64; apply bpow_le; lia | lra]. }
  eapply Rle_trans; [|exact B].
  replace (lower * lower * (1 + / 1125899906842624) * pair_error row col) with (lower * (lower * pair_error row col * (1 + / 1125899906842624))) by ring.
  apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_r; [lra | exact A].
Qed.

(* Theorem: the error of an element covers what rounding its row and its column to integers moves their sum, in units of 2^-(sa + sb). *)
Theorem element_error_covers (terms : list (R * R)) (sa sb E F last_a last_b k : Z) (norm_a norm_b lambda mu : R) : (Z.of_nat (length terms) <= k < 2 ^ 53)%Z ->
  line_known (map fst terms) norm_a lambda E last_a sa -> line_known (map snd terms) norm_b mu F last_b sb ->
  let row := line_error norm_a lambda E last_a sa k true in let col := line_error norm_b mu F last_b sb k false in
  let moved := Rabs (IZR (integer_sum 0 (- sa) (- sb) terms) - exact_sum terms * bpow radix2 (sa + sb)) in
  lower * moved <= pair_error row col /\ moved <= element_error row col.
Proof.
  intros Hk Ha Hb row col moved. assert (K : (0 <= k < 2 ^ 53)%Z) by lia.
  assert (G1 := line_errors_good_of _ _ _ _ _ _ k true Ha K). assert (G2 := line_errors_good_of _ _ _ _ _ _ k false Hb K). fold row in G1. fold col in G2.
  assert (V1 := line_error_value _ _ _ _ _ _ k true Ha K). assert (V2 := line_error_value _ _ _ _ _ _ k false Hb K). fold row in V1. fold col in V2.
  destruct row as (da, ea) eqn:Er, col as (db, eb) eqn:Ec. destruct V1 as (Da & _ & _ & L1), V2 as (Db & _ & _ & L2).
  assert (Ca : da = 0 \/ da = 1) by (rewrite Da; apply drops_cases). assert (Cb : db = 0 \/ db = 1) by (rewrite Db; apply drops_cases).
  assert (M : moved <= db * (lambda * bpow radix2 (E + sa - 25)) + da * (mu * bpow radix2 (F + sb - 25)) + da * db * IZR k / 4).
  { eapply Rle_trans; [apply (sum_moves terms sa sb da db); try lra|].
    - rewrite Forall_forall. intros (a, b) I. split; rewrite ?Da, ?Db; [apply (entry_moves _ _ _ _ _ _ _ Ha) | apply (entry_moves _ _ _ _ _ _ _ Hb)]; apply in_map_iff; exists (a, b); auto.
    - assert (S1 := size_of_line _ _ _ _ _ _ Ha). assert (S2 := size_of_line _ _ _ _ _ _ Hb). assert (N : INR (length terms) <= IZR k) by (rewrite INR_IZR_INZ; apply IZR_le; lia).
      assert (N0 : 0 <= INR (length terms)) by apply pos_INR. destruct Ca as [->| ->], Cb as [->| ->]; lra. }
  assert (L := lower_range). assert (Mk : lower * moved <= pair_error (da, ea) (db, eb)).
  { unfold pair_error. cbn [fst snd]. destruct Ca as [Ea|Ea], Cb as [Eb|Eb]; rewrite Ea, Eb in *; nra. }
  split; [exact Mk|]. eapply Rle_trans; [|apply element_error_lower; assumption].
  assert (M0 : 0 <= moved) by apply Rabs_pos.
  apply Rle_trans with (lower * lower * (1 + / 1125899906842624) * (lower * moved)).
  - replace (lower * lower * (1 + / 1125899906842624) * (lower * moved)) with (lower * lower * (1 + / 1125899906842624) * lower * moved) by ring.
    rewrite <- (Rmult_1_l moved) at 1. apply Rmult_le_compat_r; [exact M0|]. unfold u64. lra.
  - apply Rmult_le_compat_l; [|exact Mk]. apply Rmult_le_pos; [apply Rmult_le_pos|]; lra.
Qed.

(* Kernels and GPUs have the error in units of their leading digits, 2^e units of the sum each. *)
Lemma exact_unit (e : Z) : (-900 <= e)%Z -> rd64 (power_of_two e * rd64 (IZR 1 + IZR 1 / IZR 1099511627776)) = bpow radix2 e * (1 + / 1099511627776) /\ format64 (bpow radix2 e * (1 + / 1099511627776)).
Proof.
  intros He. replace (IZR 1 / IZR 1099511627776) with (bpow radix2 (-40)) by (simpl; lra). rewrite one_and_power by lia. replace (1 + bpow radix2 (-40)) with (1 + / 1099511627776) by (simpl; lra).
  assert (F : format64 (bpow radix2 e * (1 + / 1099511627776))).
  { rewrite Rmult_comm. apply format64_scaled.
    - replace (1 + / 1099511627776) with (1 + bpow radix2 (-40)) by (simpl; lra). rewrite <- (one_and_power (-40)) by lia. apply rnd64_format.
    - right. rewrite Rabs_pos_eq by lra. assert (P := bpow_gt_0 radix2 e). apply Rle_trans with (bpow radix2 e); [apply bpow_le; lia | lra]. }
  split; [now apply rnd64_exact | exact F].
Qed.

(* Theorem: every place passes an error that covers what rounding moved a sum. Elements one by one and the portable kernel pass element_error. The vector kernel and GPUs have it in units of 2^-e. *)
Theorem passed_errors_cover (row_drop row_error col_drop col_error : Z -> R) (r c : Z) (moved : R) :
  let row := (row_drop r, row_error r) in let col := (col_drop c, col_error c) in
  line_errors_good row -> line_errors_good col -> 0 <= moved -> lower * moved <= pair_error row col ->
  (error_of_element row_drop row_error col_drop col_error true r c = element_error row col /\ error_of_element row_drop row_error col_drop col_error false r c = 0) /\
  (forall round_within finite row_exponent col_exponent alpha s beta out,
   tile_decides round_within finite row_exponent col_exponent alpha s (error_of_tile row_drop row_error col_drop col_error true r c) beta r c out =
     (round_within alpha s (element_error row col) (row_exponent r + col_exponent c)%Z beta out out && finite out)%bool /\
   tile_decides round_within finite row_exponent col_exponent alpha s (error_of_tile row_drop row_error col_drop col_error false r c) beta r c out =
     (round_within alpha s 0 (row_exponent r + col_exponent c)%Z beta out out && finite out)%bool) /\
  (forall memory drop_base error_base e unknown, memory (drop_base + c)%Z = col_drop c -> memory (error_base + c)%Z = col_error c -> (-700 <= e)%Z -> 1 <= unknown ->
   moved * bpow radix2 e + lower * unknown <= units_of_lane (error_of_lane row_drop row_error memory drop_base error_base r c) (power_of_two e) unknown) /\
  (forall lines_row thread shift exponent special normal, (-700 <= -64 - exponent)%Z ->
   let '(_, _, _, error_of_row, drop_of_row) := row_of_tile lines_row thread shift exponent special normal (row_drop r) (row_error r) thread in
   moved * bpow radix2 (-64 - exponent) <= error_on_gpu col_drop col_error drop_of_row error_of_row c).
Proof.
  intros row col G1 G2 M0 M. assert (L := lower_range). assert (Rg := pair_error_range _ _ G1 G2).
  destruct G1 as (D1 & F1 & Z1), G2 as (D2 & F2 & Z2). unfold row, col in *. cbn [fst snd] in *.
  split; [|split; [|split]].
  - split; reflexivity.
  - intros. unfold tile_decides, error_of_tile. split; [unfold element_error; cbn [fst snd]; reflexivity|].
    rewrite Rmult_0_l. change (rd64 0) with (rnd64 0). now rewrite rnd64_zero.
  - intros memory drop_base error_base e unknown Md Me He Hu. unfold units_of_lane, error_of_lane, load. rewrite Md, Me. destruct (exact_unit e ltac:(lia)) as (Eu & Fu). rewrite Eu.
    destruct (dropped_exact _ _ D2 F1) as (E1 & G1). destruct (dropped_exact _ _ D1 F2) as (_ & G2). unfold rd64. rewrite E1.
    replace (row_drop r * col_error c + col_drop c * row_error r) with (pair_error (row_drop r, row_error r) (col_drop c, col_error c)) by (unfold pair_error; cbn [fst snd]; ring).
    assert (A : lower * pair_error (row_drop r, row_error r) (col_drop c, col_error c) <= rnd64 (pair_error (row_drop r, row_error r) (col_drop c, col_error c))).
    { unfold pair_error. cbn [fst snd]. apply sum_at_least; auto. unfold pair_error in Rg. cbn [fst snd] in Rg. assert (P := bpow_gt_0 radix2 (-201)). lra. }
    set (p := pair_error _ _) in *. set (v := rnd64 p) in *. assert (P := bpow_gt_0 radix2 e). set (b := bpow radix2 e) in *.
    assert (V0 : 0 <= v * (b * (1 + / 1099511627776))) by (apply Rmult_le_pos; [apply rnd64_nonnegative; assert (Q := bpow_gt_0 radix2 (-201)); lra | nra]).
    eapply Rle_trans; [|apply rounded_at_least; right; apply Rle_trans with 1; [unfold normal64; change 1 with (bpow radix2 0); apply bpow_le; lia | lra]].
    assert (Q : moved <= lower * (lower * (lower * moved)) * (1 + / 1099511627776)).
    { replace (lower * (lower * (lower * moved)) * (1 + / 1099511627776)) with (lower * lower * lower * (1 + / 1099511627776) * moved) by ring.
      rewrite <- (Rmult_1_l moved) at 1. apply Rmult_le_compat_r; [exact M0|]. unfold u64. lra. }
    assert (W : lower * (lower * moved) <= v) by (eapply Rle_trans; [|exact A]; apply Rmult_le_compat_l; lra).
    assert (X : lower * (lower * (lower * moved)) * (1 + / 1099511627776) * b <= lower * v * (1 + / 1099511627776) * b).
    { apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_l; lra. }
    assert (Y := Rmult_le_compat_r b _ _ ltac:(lra) Q). lra.
  - intros lines_row thread shift exponent special normal He. unfold row_of_tile, update. rewrite Z.eqb_refl. change ((- (64)) - exponent)%Z with (-64 - exponent)%Z.
    destruct (exact_unit (-64 - exponent) ltac:(lia)) as (Eu & Fu). rewrite Eu. set (e := (-64 - exponent)%Z) in *. set (un := bpow radix2 e * (1 + / 1099511627776)) in *.
    unfold error_on_gpu, rd64. assert (P := bpow_gt_0 radix2 e). assert (U0 : bpow radix2 e <= un) by (unfold un; lra).
    assert (Dr : rnd64 (row_drop r * un) = row_drop r * un /\ format64 (row_drop r * un)) by (apply dropped_exact; assumption). destruct Dr as (-> & Fd).
    assert (Ne : forall x, x = 0 \/ bpow radix2 (-201) <= x -> x * un = 0 \/ normal64 <= x * un).
    { intros x [->|Hx]; [left; ring | right]. apply Rle_trans with (bpow radix2 (-201) * bpow radix2 e); [rewrite <- bpow_plus; unfold normal64; apply bpow_le; lia|].
      apply Rmult_le_compat; try lra; apply bpow_ge_0. }
    assert (Q : moved * bpow radix2 e <= lower * (lower * (lower * (lower * moved))) * un).
    { replace (lower * (lower * (lower * (lower * moved))) * un) with (lower * lower * lower * lower * (1 + / 1099511627776) * (moved * bpow radix2 e)) by (unfold un; ring).
      rewrite <- (Rmult_1_l (moved * bpow radix2 e)) at 1. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|]. unfold u64. lra. }
    assert (A1 := rounded_at_least _ (Ne _ Z1)). assert (F1' : format64 (rnd64 (row_error r * un))) by apply rnd64_format. set (x := rnd64 (row_error r * un)) in *.
    assert (A2 : lower * (row_drop r * un * col_error c) <= rnd64 (row_drop r * un * col_error c)).
    { replace (row_drop r * un * col_error c) with (row_drop r * (col_error c * un)) by ring. destruct D1 as [->| ->]; [rewrite Rmult_0_l, rnd64_zero; lra | rewrite Rmult_1_l; apply rounded_at_least; auto]. }
    assert (F2' : format64 (rnd64 (row_drop r * un * col_error c))) by apply rnd64_format. set (y := rnd64 (row_drop r * un * col_error c)) in *.
    assert (Zr : 0 <= row_error r) by (assert (Q1 := bpow_gt_0 radix2 (-201)); lra). assert (Zc : 0 <= col_error c) by (assert (Q1 := bpow_gt_0 radix2 (-201)); lra).
    assert (Un0 : 0 <= un) by lra. assert (Dr0 : 0 <= row_drop r) by lra. assert (Dc0 : 0 <= col_drop c) by lra.
    assert (X0 : 0 <= x) by (apply rnd64_nonnegative; now apply Rmult_le_pos). assert (Y0 : 0 <= y) by (apply rnd64_nonnegative; apply Rmult_le_pos; [apply Rmult_le_pos|]; assumption).
    assert (S : lower * (col_drop c * x + y) <= rnd64 (col_drop c * x + y)).
    { apply sum_at_least; [destruct D2 as [->| ->]; [rewrite Rmult_0_l; apply generic_format_0 | now rewrite Rmult_1_l] | exact F2' | destruct D2 as [->| ->]; lra]. }
    eapply Rle_trans; [exact Q|]. eapply Rle_trans; [|exact S].
    replace (lower * (lower * (lower * (lower * moved))) * un) with (lower * (lower * (lower * (lower * moved)) * un)) by ring. apply Rmult_le_compat_l; [lra|].
    apply Rle_trans with (lower * pair_error (row_drop r, row_error r) (col_drop c, col_error c) * un).
    + apply Rmult_le_compat_r; [lra|]. apply Rle_trans with (lower * (lower * moved)); [|apply Rmult_le_compat_l; lra].
      apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|]. rewrite <- (Rmult_1_l moved) at 2. apply Rmult_le_compat_r; lra.
    + unfold pair_error. cbn [fst snd]. destruct D2 as [->| ->], D1 as [E|E]; rewrite E in *; lra.
Qed.
