(* The errors that the engines of integer sums pass to Ziv's test (lib/numerics/escalation.hpp): entries are rounded to integers, and a sum is known up to what that moves. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Fixed ErrorsSource.

Open Scope R_scope.

(* Operations on numbers that are not negative. *)
Notation lower := (1 - u64).

Lemma lower_range : 0 < lower < 1.
Proof. unfold u64. lra. Qed.

Lemma sum_at_least (x y : R) : format64 x -> format64 y -> 0 <= x + y -> lower * (x + y) <= rnd64 (x + y).
Proof. intros Fx Fy P. assert (B := rnd64_sum x y Fx Fy). rewrite (Rabs_pos_eq (x + y)) in B by exact P. apply Rabs_le_inv in B. lra. Qed.

Lemma rnd64_zero : rnd64 0 = 0.
Proof. apply round_0. typeclasses eauto. Qed.

Lemma rounded_at_least (x : R) : x = 0 \/ normal64 <= x -> lower * x <= rnd64 x.
Proof.
  intros [->|H]; [rewrite Rmult_0_r, rnd64_zero; lra|]. assert (N := normal64_positive).
  assert (X : Rabs x = x) by (apply Rabs_pos_eq; lra). assert (B := rnd64_normal x). rewrite X in B. specialize (B H). apply Rabs_le_inv in B. lra.
Qed.

Lemma one_and_power (e : Z) : (-52 <= e <= 0)%Z -> rd64 (IZR 1 + bpow radix2 e) = 1 + bpow radix2 e.
Proof.
  intros H. apply rnd64_exact. apply generic_format_FLT. exists (Float radix2 (2 ^ (- e) + 1) e).
  - unfold F2R. cbn [Fnum Fexp]. rewrite plus_IZR, (IZR_Zpower radix2) by lia. rewrite Rmult_plus_distr_r, <- bpow_plus. replace (- e + e)%Z with 0%Z by lia. simpl. ring.
  - cbn [Fnum]. assert (0 < 2 ^ (- e) <= 2 ^ 52)%Z by (split; [apply Z.pow_pos_nonneg; lia | apply Z.pow_le_mono_r; lia]). change (Z.abs (2 ^ (- e) + 1) < 2 ^ 53)%Z. lia.
  - cbn [Fexp]. lia.
Qed.

Lemma enlargement : rd64 (IZR 1 + IZR 1 / IZR 1125899906842624) = 1 + / 1125899906842624.
Proof. replace (IZR 1 / IZR 1125899906842624) with (bpow radix2 (-50)) by (simpl; lra). rewrite one_and_power by lia. simpl. lra. Qed.

Lemma format64_scaled (x : R) (e : Z) : format64 x -> x = 0 \/ bpow radix2 (-1022) <= Rabs x * bpow radix2 e -> format64 (x * bpow radix2 e).
Proof.
  intros Fx [->|H]; [rewrite Rmult_0_l; apply generic_format_0|]. destruct (Req_dec x 0) as [->|N]; [rewrite Rmult_0_l; apply generic_format_0|].
  assert (M : (-1022 < mag radix2 x + e)%Z).
  { rewrite <- mag_mult_bpow by exact N. apply mag_gt_bpow. now rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0. }
  assert (X := FLT_format_generic radix2 (-1074) 53 x Fx). destruct X as [(m, f) Em Hm Hf]. cbn [Fnum Fexp] in *.
  assert (G : generic_format radix2 (FLX_exp 53) (x * bpow radix2 e)).
  { apply generic_format_FLX. exists (Float radix2 m (f + e)); [|exact Hm]. rewrite Em. unfold F2R. cbn [Fnum Fexp]. rewrite bpow_plus. ring. }
  apply generic_format_FLT_FLX; [|exact G]. rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0. exact H.
Qed.

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

(* What rounding moves. *)
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

Definition sum_of (f : R -> R) (xs : list R) : R := fold_right (fun x r => r + f x) 0 xs.
(* lambda's terms. *)
Definition ceiling (E : Z) (x : R) : R := IZR (Zceil (Rabs x * bpow radix2 (24 - E))).
Definition multiple_of (last : Z) (x : R) : Prop := exists n : Z, x = IZR n * bpow radix2 last.

(* What line_error is told about a line: norm is positive if an entry is not zero, every entry is a multiple of 2^last, and lambda bounds the sum of the ceilings. *)
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

(* What tests of the kernels and of GPUs add: the error in units of their leading digits, 2^e units of the sum each. *)
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

(* Sums of numbers that are not negative, in any order of additions. *)
Inductive adds : list R -> R -> Prop :=
| adds_nothing : adds nil 0
| adds_one (x : R) : adds (x :: nil) x
| adds_two (l r : list R) (a b : R) : adds l a -> adds r b -> adds (l ++ r) (rnd64 (a + b)).

Definition total (xs : list R) : R := sum_of (fun x => x) xs.
Definition nonzeros (xs : list R) : nat := length (filter (fun x => negb (Req_bool x 0)) xs).

Lemma total_app (l r : list R) : total (l ++ r) = total l + total r.
Proof. unfold total, sum_of. induction l as [|x l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma nonzeros_app (l r : list R) : nonzeros (l ++ r) = (nonzeros l + nonzeros r)%nat.
Proof. unfold nonzeros. now rewrite filter_app, app_length. Qed.

Lemma adds_lower (xs : list R) (v : R) : adds xs v -> Forall (fun x => 0 <= x /\ format64 x) xs ->
  0 <= v /\ format64 v /\ 0 <= total xs /\ (nonzeros xs = 0%nat -> v = 0 /\ total xs = 0) /\ lower ^ nonzeros xs * total xs <= v.
Proof.
  intros H. assert (L := lower_range). induction H as [|x|l r a b Hl IHl Hr IHr]; intros F.
  - unfold total, sum_of. simpl. repeat split; try lra. apply generic_format_0.
  - inversion_clear F as [|? ? (P & G) _]. unfold total, sum_of, nonzeros. simpl. destruct (Req_bool_spec x 0) as [->|N]; simpl; repeat split; try lra; try assumption; try discriminate. nra.
  - apply Forall_app in F as (Fl & Fr). destruct (IHl Fl) as (A0 & Fa & Tl & Zl & Bl). destruct (IHr Fr) as (B0 & Fb & Tr & Zr & Br).
    rewrite total_app, nonzeros_app. assert (Su := sum_at_least a b Fa Fb ltac:(lra)). split; [apply rnd64_nonnegative; lra|]. split; [apply rnd64_format|]. split; [lra|].
    assert (Pw : forall n m, (n <= m)%nat -> lower ^ m <= lower ^ n).
    { intros n m Hnm. induction Hnm as [|m Hnm IH]; [lra|]. simpl. assert (0 <= lower ^ m) by (apply pow_le; lra). nra. }
    destruct (nonzeros l) as [|n] eqn:El; [|destruct (nonzeros r) as [|m] eqn:Em].
    + destruct (Zl eq_refl) as (-> & ->). rewrite Rplus_0_l, (rnd64_exact b Fb). simpl plus. rewrite Rplus_0_l. split; [exact Zr | exact Br].
    + destruct (Zr eq_refl) as (-> & ->). rewrite Rplus_0_r, (rnd64_exact a Fa). rewrite Nat.add_0_r, Rplus_0_r. split; [exact Zl | exact Bl].
    + split; [discriminate|]. eapply Rle_trans; [|exact Su].
      assert (P1 := Pw (S (S n)) (S n + S m)%nat ltac:(lia)). assert (P2 := Pw (S (S m)) (S n + S m)%nat ltac:(lia)).
      assert (Q1 := Rmult_le_compat_r (total l) _ _ Tl P1). assert (Q2 := Rmult_le_compat_r (total r) _ _ Tr P2).
      change (lower ^ S (S n)) with (lower * lower ^ S n) in Q1. change (lower ^ S (S m)) with (lower * lower ^ S m) in Q2. nra.
Qed.

Definition whole (x : R) : Prop := exists n : Z, (0 <= n)%Z /\ x = IZR n.

Lemma adds_exact (xs : list R) (v : R) : adds xs v -> Forall (fun x => whole x /\ format64 x) xs -> v < 9007199254740992 -> v = total xs /\ whole v.
Proof.
  intros H. induction H as [|x|l r a b Hl IHl Hr IHr]; intros F V.
  - split; [reflexivity | exists 0%Z; split; [lia | reflexivity]].
  - inversion_clear F as [|? ? (W & _) _]. split; [unfold total, sum_of; simpl; lra | exact W].
  - apply Forall_app in F as (Fl & Fr).
    assert (Nn : forall xs, Forall (fun x => whole x /\ format64 x) xs -> Forall (fun x => 0 <= x /\ format64 x) xs).
    { intros ys. apply Forall_impl. intros y ((n & Hn & ->) & G). split; [apply IZR_le; lia | exact G]. }
    destruct (adds_lower l a Hl (Nn _ Fl)) as (A0 & Fa & _). destruct (adds_lower r b Hr (Nn _ Fr)) as (B0 & Fb & _).
    assert (Va : a <= rnd64 (a + b)) by (rewrite <- (rnd64_exact a Fa) at 1; apply rnd64_le; lra). assert (Vb : b <= rnd64 (a + b)) by (rewrite <- (rnd64_exact b Fb) at 1; apply rnd64_le; lra).
    destruct (IHl Fl ltac:(lra)) as (Ea & n & Hn & Wa). destruct (IHr Fr ltac:(lra)) as (Eb & m & Hm & Wb).
    rewrite total_app, <- Ea, <- Eb. rewrite Wa, Wb, <- plus_IZR in *.
    assert (B : (n + m < 9007199254740992)%Z).
    { apply Z.nle_gt. intros Q. apply IZR_le in Q. apply rnd64_le in Q. change (rnd64 9007199254740992) with (rnd64 (bpow radix2 53)) in Q. rewrite (rnd64_exact (bpow radix2 53)) in Q by (apply format64_bpow; lia).
      change (bpow radix2 53) with 9007199254740992 in Q. lra. }
    assert (E := rd64_integer (n + m) ltac:(change (2 ^ 53)%Z with 9007199254740992%Z; lia)). unfold rd64 in E. rewrite E. split; [reflexivity | exists (n + m)%Z; split; [lia | reflexivity]].
Qed.

(* The slack pays for the roundings of a sum, and its own. *)
Lemma slack_pays (k : Z) (n : nat) : (0 <= k <= 2 ^ 40)%Z -> (Z.of_nat n <= k)%Z ->
  let slack := rd64 (IZR 1 + rd64 (rd64 (IZR (k + 8)) * (IZR 1 / IZR 4503599627370496))) in format64 slack /\ 1 <= slack /\ 1 <= lower * lower * (lower ^ n * slack).
Proof.
  intros Hk Hn slack. change (2 ^ 40)%Z with 1099511627776%Z in Hk. set (x := IZR (k + 8) * bpow radix2 (-52)).
  assert (Fx : format64 x). { apply generic_format_FLT. exists (Float radix2 (k + 8) (-52)); [reflexivity | cbn [Fnum]; change (Z.abs (k + 8) < 2 ^ 53)%Z; change (2 ^ 53)%Z with 9007199254740992%Z; lia | cbn [Fexp]; lia]. }
  assert (K : IZR (k + 8) = IZR k + 8) by apply plus_IZR. assert (K0 : 0 <= IZR k) by (apply IZR_le; lia). assert (K1 : IZR k <= 1099511627776) by (apply IZR_le; lia).
  assert (Ex : rd64 (rd64 (IZR (k + 8)) * (IZR 1 / IZR 4503599627370496)) = x).
  { rewrite rd64_integer by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). unfold x. replace (IZR 1 / IZR 4503599627370496) with (bpow radix2 (-52)) by (simpl; lra). now apply rnd64_exact. }
  assert (X : x = 2 * (IZR k + 8) * u64) by (unfold x, u64; rewrite K; simpl; lra).
  assert (One : format64 1) by (change 1 with (bpow radix2 0); apply format64_bpow; lia). assert (X0 : 0 <= x) by (rewrite X; unfold u64; lra).
  assert (S : lower * (1 + x) <= slack) by (unfold slack; rewrite Ex; apply sum_at_least; [exact One | exact Fx | lra]).
  assert (S1 : 1 <= slack) by (unfold slack; rewrite Ex; rewrite <- (rnd64_exact 1 One) at 1; apply rnd64_le; lra).
  split; [apply rnd64_format|]. split; [exact S1|].
  assert (Be : 1 - INR n * u64 <= lower ^ n).
  { clear. induction n as [|n IH]; [simpl; lra|]. rewrite S_INR. simpl (lower ^ S n). assert (0 <= INR n) by apply pos_INR. assert (L := lower_range). assert (U : 0 < u64) by (unfold u64; lra).
    assert (Q : lower * (1 - INR n * u64) <= lower * lower ^ n) by (apply Rmult_le_compat_l; lra). nra. }
  assert (N : INR n <= IZR k) by (rewrite INR_IZR_INZ; apply IZR_le; lia). assert (U : 0 < u64) by (unfold u64; lra). assert (L := lower_range).
  assert (Ku : IZR k * u64 <= / 8192) by (unfold u64; lra). assert (Kp : 0 <= IZR k * u64) by (apply Rmult_le_pos; lra).
  assert (B1 : 1 - IZR k * u64 <= lower ^ n) by nra.
  assert (Pr : (1 - IZR k * u64) * (lower * (1 + x)) <= lower ^ n * slack) by (apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra).
  assert (Q : 1 + 4 * u64 <= (1 - IZR k * u64) * (lower * (1 + x))).
  { rewrite X. set (t := IZR k * u64) in *. replace (2 * (IZR k + 8) * u64) with (2 * t + 16 * u64) by (unfold t; ring).
    assert (T1 : t * (2 * t + 16 * u64) <= / 8192 * (2 * t + 16 * u64)) by (apply Rmult_le_compat_r; lra).
    assert (T2 : u64 * (1 + (2 * t + 16 * u64)) * (1 - t) <= u64 * (1 + (2 * t + 16 * u64)) * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
    assert (T3 : u64 * (2 * t + 16 * u64) <= u64 * 1) by (apply Rmult_le_compat_l; [lra | unfold u64 in *; lra]). lra. }
  apply Rle_trans with (lower * lower * (1 + 4 * u64)); [unfold u64; lra|]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | lra].
Qed.

Lemma total_permutation (xs ys : list R) : Permutation xs ys -> total xs = total ys.
Proof. intros H. induction H; unfold total, sum_of in *; simpl in *; lra. Qed.

Lemma total_map (f : R -> R) (xs : list R) : total (map f xs) = sum_of f xs.
Proof. unfold total, sum_of. induction xs as [|x xs IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma ceiling_whole (E : Z) (x : R) : Rabs x < bpow radix2 E -> exists n : Z, (0 <= n <= 16777216)%Z /\ ceiling E x = IZR n /\ (n = 0%Z -> x = 0).
Proof.
  intros H. exists (Zceil (Rabs x * bpow radix2 (24 - E))). assert (P := bpow_gt_0 radix2 (24 - E)). assert (A := Rabs_pos x). split; [|split; [reflexivity|]].
  - split.
    + apply le_IZR. eapply Rle_trans; [|apply Zceil_ub]. apply Rmult_le_pos; lra.
    + apply Zceil_glb. change 16777216%Z with (2 ^ 24)%Z. rewrite (IZR_Zpower radix2) by lia. replace (bpow radix2 24) with (bpow radix2 E * bpow radix2 (24 - E)) by (rewrite <- bpow_plus; f_equal; lia). nra.
  - intros Z0. assert (U := Zceil_ub (Rabs x * bpow radix2 (24 - E))). rewrite Z0 in U. destruct (Req_dec x 0) as [Q|Q]; [exact Q|]. apply Rabs_pos_lt in Q. nra.
Qed.

Lemma integer_format (n : Z) : (0 <= n <= 2 ^ 48)%Z -> format64 (IZR n).
Proof. intros H. rewrite <- (rd64_integer n) by (change (2 ^ 53)%Z with (32 * 2 ^ 48)%Z; lia). apply rnd64_format. Qed.

(* Theorem: lambda and the norm of a line that the code adds up in doubles, in any order, are no smaller than the sum of the ceilings and than the norm. So they are what line_known asks for. *)
Theorem measured_bounds (xs terms squares : list R) (E k first i : Z) (norm lambda sum_squares sum_lambda : Z -> R) : (0 <= k <= 2 ^ 40)%Z ->
  Forall (fun x => Rabs x < bpow radix2 E) xs -> Permutation terms (map (ceiling E) xs) -> Permutation squares (map (fun x => ceiling E x * ceiling E x) xs) ->
  (Z.of_nat (nonzeros terms) <= k)%Z -> (Z.of_nat (nonzeros squares) <= k)%Z -> adds terms (sum_lambda i) -> adds squares (sum_squares i) ->
  let '(norms, lambdas) := measured norm lambda sum_squares sum_lambda k first i in let own := lambdas (first + i)%Z in let size := norms (first + i)%Z in
  (format64 own /\ (own = 0 \/ 1 <= own) /\ sum_of (ceiling E) xs <= own) /\
  (sqrt (sum_of (fun x => ceiling E x * ceiling E x) xs) * bpow radix2 (-24) <= size /\ (size <= 0 -> Forall (fun x => x = 0) xs)).
Proof.
  intros Hk Hx P1 P2 N1 N2 A1 A2. unfold measured. assert (Up : forall f v, update f (first + i) v (first + i)%Z = v :> R) by (intros; unfold update; now rewrite Z.eqb_refl). rewrite !Up. clear Up.
  assert (T1 : total terms = sum_of (ceiling E) xs) by (rewrite (total_permutation _ _ P1); apply total_map).
  assert (T2 : total squares = sum_of (fun x => ceiling E x * ceiling E x) xs) by (rewrite (total_permutation _ _ P2); apply total_map).
  assert (W1 : Forall (fun x => whole x /\ format64 x) terms).
  { rewrite Forall_forall in *. intros y I. apply (Permutation_in y P1) in I. apply in_map_iff in I as (x & <- & I). destruct (ceiling_whole E x (Hx x I)) as (n & Hn & -> & _).
    split; [exists n; split; [lia | reflexivity] | apply integer_format; lia]. }
  assert (W2 : Forall (fun x => whole x /\ format64 x) squares).
  { rewrite Forall_forall in *. intros y I. apply (Permutation_in y P2) in I. apply in_map_iff in I as (x & <- & I). destruct (ceiling_whole E x (Hx x I)) as (n & Hn & -> & _).
    rewrite <- mult_IZR. split; [exists (n * n)%Z; split; [nia | reflexivity] | apply integer_format; change (2 ^ 48)%Z with (16777216 * 16777216)%Z; nia]. }
  assert (Nn : forall xs, Forall (fun x => whole x /\ format64 x) xs -> Forall (fun x => 0 <= x /\ format64 x) xs).
  { intros ys. apply Forall_impl. intros y ((n & Hn & ->) & G). split; [apply IZR_le; lia | exact G]. }
  destruct (adds_lower _ _ A1 (Nn _ W1)) as (V1 & F1 & S1 & _ & B1). destruct (adds_lower _ _ A2 (Nn _ W2)) as (V2 & F2 & S2 & _ & B2).
  destruct (slack_pays k _ Hk N1) as (_ & Sl & Q1). destruct (slack_pays k _ Hk N2) as (_ & _ & Q2). rewrite T1 in *. rewrite T2 in *.
  set (slack := rd64 (IZR 1 + _)) in *. assert (L := lower_range). assert (Nm := normal64_positive).
  assert (Pos : forall n, 0 < lower ^ n) by (intros n; apply pow_lt; lra).
  split.
  - assert (Li : rd64 (IZR 9007199254740992) = 9007199254740992) by (apply rnd64_exact; change (IZR 9007199254740992) with (bpow radix2 53); apply format64_bpow; lia). rewrite Li.
    destruct (Rlt_bool_spec (sum_lambda i) 9007199254740992) as [C|C].
    + destruct (adds_exact _ _ A1 W1 C) as (Ev & n & Hn & En). rewrite T1 in Ev. split; [exact F1|]. split; [|lra].
      rewrite En. destruct (Z.eq_dec n 0) as [->|Z0]; [now left | right; apply IZR_le; lia].
    + assert (Bg : 9007199254740992 <= sum_lambda i * slack) by nra. assert (Nr : normal64 <= sum_lambda i * slack).
      { eapply Rle_trans; [|exact Bg]. change 9007199254740992 with (bpow radix2 53). unfold normal64. apply bpow_le. lia. }
      assert (R1 := rounded_at_least _ (or_intror Nr)). unfold rd64. split; [apply rnd64_format|].
      assert (G : sum_of (ceiling E) xs <= rnd64 (sum_lambda i * slack)).
      { eapply Rle_trans; [|exact R1]. assert (X : lower ^ nonzeros terms * sum_of (ceiling E) xs * slack <= sum_lambda i * slack) by (apply Rmult_le_compat_r; lra).
        apply Rle_trans with (lower * lower * (lower ^ nonzeros terms * slack) * sum_of (ceiling E) xs); [rewrite <- (Rmult_1_l (sum_of _ _)) at 1; apply Rmult_le_compat_r; lra|].
        replace (lower * lower * (lower ^ nonzeros terms * slack) * sum_of (ceiling E) xs) with (lower * (lower * (lower ^ nonzeros terms * sum_of (ceiling E) xs * slack))) by ring.
        apply Rmult_le_compat_l; [lra|]. assert (0 <= lower ^ nonzeros terms * sum_of (ceiling E) xs * slack) by (apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rlt_le, Pos | exact S1] | lra]). nra. }
      split; [right | exact G]. apply (rnd64_at_least 0); [lia|]. change (bpow radix2 0) with 1. lra.
  - rewrite enlargement. set (Q := sum_of (fun x => ceiling E x * ceiling E x) xs) in *. set (c := bpow radix2 (-24) * (1 + / 1125899906842624)).
    assert (Ec : rd64 (IZR 1 / IZR 16777216 * (1 + / 1125899906842624)) = c).
    { replace (IZR 1 / IZR 16777216 * (1 + / 1125899906842624)) with ((1 + bpow radix2 (-50)) * bpow radix2 (-24)) by (simpl; lra). replace c with ((1 + bpow radix2 (-50)) * bpow radix2 (-24)) by (unfold c; simpl; lra).
      apply rnd64_exact. rewrite <- (one_and_power (-50)) by lia. apply format64_scaled; [apply rnd64_format|]. right. rewrite (one_and_power (-50)) by lia. simpl (bpow radix2 (-50)).
      rewrite Rabs_pos_eq by lra. apply Rle_trans with (bpow radix2 (-24)); [apply bpow_le; lia | assert (X := bpow_gt_0 radix2 (-24)); lra]. }
    rewrite Ec. assert (Pc := bpow_gt_0 radix2 (-24)). assert (Zero : Q = 0 \/ 1 <= Q).
    { assert (Wq : exists n : Z, (0 <= n)%Z /\ Q = IZR n).
      { rewrite <- T2. clear - W2. induction squares as [|y ys IH]; [exists 0%Z; split; [lia | reflexivity]|]. inversion_clear W2 as [|? ? ((n & Hn & ->) & _) W]. destruct (IH W) as (m & Hm & Em).
        exists (m + n)%Z. split; [lia|]. unfold total, sum_of in *. simpl. now rewrite Em, plus_IZR. }
      destruct Wq as (n & Hn & ->). destruct (Z.eq_dec n 0) as [->|Z0]; [now left | right; apply IZR_le; lia]. }
    assert (Low : sqrt Q * bpow radix2 (-24) <= rd64 (rd64 (sqrt (rd64 (sum_squares i * slack))) * c)).
    { destruct Zero as [E0|Q1']; [rewrite E0, sqrt_0, Rmult_0_l; apply rnd64_nonnegative, Rmult_le_pos; [apply rnd64_nonnegative, sqrt_pos | unfold c; apply Rmult_le_pos; lra]|].
      set (n := nonzeros squares) in *. assert (X : lower ^ n * slack * Q <= sum_squares i * slack) by (replace (lower ^ n * slack * Q) with (lower ^ n * Q * slack) by ring; apply Rmult_le_compat_r; lra).
      assert (Y0 : 0 < lower ^ n * slack) by (apply Rmult_lt_0_compat; [apply Pos | lra]). assert (Y : 1 <= lower * (lower ^ n * slack)) by nra. assert (Y' : 1 <= lower ^ n * slack) by nra.
      assert (B0 : forall z, 1 <= z -> normal64 <= z) by (intros z Hz; eapply Rle_trans; [|exact Hz]; change 1 with (bpow radix2 0); unfold normal64; apply bpow_le; lia).
      assert (Z1 : 1 <= sum_squares i * slack) by nra. assert (R1 := rounded_at_least _ (or_intror (B0 _ Z1))). unfold rd64. set (w := rnd64 (sum_squares i * slack)) in *.
      assert (Wq : Q <= w) by nra. assert (Sq : sqrt Q <= sqrt w) by now apply sqrt_le_1_alt. assert (Sq1 : 1 <= sqrt Q) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
      assert (Sw : 1 <= sqrt w) by lra. assert (R2 := rounded_at_least (sqrt w) (or_intror (B0 _ Sw))). set (v := rnd64 (sqrt w)) in *. assert (Vl : lower * sqrt Q <= v) by nra. assert (Cc : bpow radix2 (-24) <= c) by (unfold c; lra).
      assert (R3 : lower * (v * c) <= rnd64 (v * c)).
      { apply rounded_at_least. right. apply Rle_trans with (lower * bpow radix2 (-24)); [|apply Rmult_le_compat; nra]. apply Rle_trans with (bpow radix2 (-25)); [unfold normal64; apply bpow_le; lia|].
        replace (bpow radix2 (-25)) with (/ 2 * bpow radix2 (-24)) by (simpl; lra). apply Rmult_le_compat_r; [lra | unfold u64; lra]. }
      eapply Rle_trans; [|exact R3]. apply Rle_trans with (lower * (lower * sqrt Q * c)); [|apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_r; lra]].
      unfold c. replace (lower * (lower * sqrt Q * (bpow radix2 (-24) * (1 + / 1125899906842624)))) with (lower * lower * (1 + / 1125899906842624) * (sqrt Q * bpow radix2 (-24))) by ring.
      rewrite <- (Rmult_1_l (sqrt Q * _)) at 1. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | unfold u64; lra]. }
    split; [exact Low|]. intros Neg. assert (Q0 : Q = 0).
    { destruct Zero as [E0|Q1']; [exact E0|]. exfalso. assert (1 <= sqrt Q) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra). assert (0 < sqrt Q * bpow radix2 (-24)) by (apply Rmult_lt_0_compat; lra). lra. }
    assert (Each : forall xs, Forall (fun x => Rabs x < bpow radix2 E) xs -> sum_of (fun x => ceiling E x * ceiling E x) xs = 0 -> Forall (fun x => x = 0) xs).
    { intros ys H. assert (G : 0 <= sum_of (fun x => ceiling E x * ceiling E x) ys /\ (sum_of (fun x => ceiling E x * ceiling E x) ys = 0 -> Forall (fun x => x = 0) ys)); [|tauto].
      induction H as [|y ys Hy H (I0 & I1)]; [split; [unfold sum_of; simpl; lra | constructor]|].
      change (sum_of (fun x => ceiling E x * ceiling E x) (y :: ys)) with (sum_of (fun x => ceiling E x * ceiling E x) ys + ceiling E y * ceiling E y).
      destruct (ceiling_whole E y Hy) as (n & Hn & En & Z0). rewrite En. assert (N0 : 0 <= IZR n) by (apply IZR_le; lia). split; [nra|]. intros S0. assert (IZR n = 0) by nra. constructor; [apply Z0, eq_IZR; lra | apply I1; nra]. }
    now apply Each.
Qed.
