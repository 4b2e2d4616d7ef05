(* The certificate of dp and sp on GPUs (cuda/int8/certify_moduli.hpp), in doubles and in floats. Each row has a number of bits of its own. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Fixed Certificate Sums Errors AcceptSource.

Open Scope R_scope.

Lemma up64_above (x : R) : x <= up64 x.
Proof. unfold up64. apply (round_UP_pt radix2 (FLT_exp (-1074) 53) x). Qed.
Lemma up32_above (x : R) : x <= up32 x.
Proof. unfold up32. apply (round_UP_pt radix2 (FLT_exp (-149) 24) x). Qed.
Lemma down32_below (x : R) : down32 x <= x.
Proof. unfold down32. apply (round_DN_pt radix2 (FLT_exp (-149) 24) x). Qed.

Lemma integer_power (n e : Z) : (0 <= n < 2 ^ 53)%Z -> (-1074 <= e)%Z -> rd64 (IZR n * pow e) = IZR n * pow e.
Proof.
  intros Hn He. apply rnd64_exact. apply generic_format_FLT. exists (Float radix2 n e); [reflexivity | cbn [Fnum]; change (Zpower radix2 53) with (2 ^ 53)%Z; lia | exact He].
Qed.

(* The test's left side, in real numbers. *)
Definition left_side (rb cb g h k : Z) (lambda mu : R) : R := lambda * pow (-23 - cb + h) + mu * pow (-23 - rb + g) + IZR k * pow (g + h - rb - cb).

Lemma units_value (rb cb k : Z) : (0 <= k < 2 ^ 53)%Z -> (0 <= rb <= 400)%Z -> (0 <= cb <= 400)%Z -> units_of rb cb k = (pow (-23 - rb), pow (-23 - cb), IZR k * pow (- rb - cb)).
Proof.
  intros Hk Hr Hc. unfold units_of. cbv zeta. rewrite (rd64_integer k) by lia. rewrite integer_power by lia. reflexivity.
Qed.

Lemma error_above (rb cb g h k : Z) (lambda mu : R) : (0 <= k)%Z -> (-100 <= g <= 100)%Z -> (0 <= rb <= 400)%Z -> 0 <= lambda -> 0 <= mu ->
  left_side rb cb g h k lambda mu <= error_of (pow (-23 - rb)) (pow (-23 - cb)) (IZR k * pow (- rb - cb)) lambda (pow g) mu (pow h).
Proof.
  intros Hk Hg Hr Hl Hm. unfold error_of, fma_up, multiply_up. cbv zeta. rewrite <- bpow_plus. rewrite (rnd64_exact (pow (g + (-23 - rb))) (format64_bpow (g + (-23 - rb)) ltac:(lia)) : rd64 (pow (g + (-23 - rb))) = pow (g + (-23 - rb))).
  eapply Rle_trans; [|apply up64_above]. assert (A := up64_above (pow g * (IZR k * pow (- rb - cb)))). set (a := up64 (pow g * _)) in *. assert (B := up64_above (lambda * pow (-23 - cb) + a)). set (b := up64 (lambda * _ + a)) in *.
  assert (C := up64_above (mu * pow (g + (-23 - rb)))). set (c := up64 (mu * _)) in *. assert (Ph := bpow_gt_0 radix2 h). unfold left_side.
  replace (pow (-23 - cb + h)) with (pow h * pow (-23 - cb)) by (rewrite <- bpow_plus; f_equal; lia). replace (pow (-23 - rb + g)) with (pow (g + (-23 - rb))) by (f_equal; lia).
  replace (pow (g + h - rb - cb)) with (pow h * (pow g * pow (- rb - cb))) by (rewrite <- !bpow_plus; f_equal; lia).
  assert (D : pow h * (lambda * pow (-23 - cb) + pow g * (IZR k * pow (- rb - cb))) <= pow h * b) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Lemma slopes (k : Z) : (1 <= k < 2 ^ 22)%Z -> exists e e', slope64 k = IZR (k + 1) * pow e /\ (-67 <= e <= -65)%Z /\ slope32 k = IZR (k + 1) * pow e' /\ (-38 <= e' <= -36)%Z.
Proof.
  intros Hk. change (2 ^ 22)%Z with 4194304%Z in Hk. unfold slope64, slope32. change (64 =? 64)%Z with true. change (32 =? 64)%Z with false. cbv iota zeta. rewrite (rd64_integer (k + 1)) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia).
  assert (Q : forall a, rd64 (IZR (k + 1) * pow a) = IZR (k + 1) * pow a \/ (a < -1074)%Z) by (intros a; destruct (Z.le_gt_cases (-1074) a) as [L|L]; [left; apply integer_power; [change (2 ^ 53)%Z with 9007199254740992%Z; lia | exact L] | right; exact L]).
  assert (F : forall a b, (-200 <= a)%Z -> (-200 <= b)%Z -> rd64 (rd64 (pow a * IZR (k + 1)) * pow b) = IZR (k + 1) * pow (a + b)).
  { intros a b Ha Hb. rewrite (Rmult_comm (pow a)). destruct (Q a) as [->|L]; [|lia]. rewrite Rmult_assoc, <- bpow_plus. destruct (Q (a + b)%Z) as [->|L]; [reflexivity | lia]. }
  replace (IZR 1 * pow (-65)) with (pow (-65)) by (change (IZR 1) with 1; ring). replace (IZR 1 / IZR 68719476736) with (pow (-36)) by (simpl; lra).
  destruct (certificate_moduli_stride k =? 1)%Z.
  - replace (IZR 1 / IZR 4) with (pow (-2)) by (simpl; lra). exists (-67)%Z, (-38)%Z. rewrite !F by lia. repeat split; lia.
  - replace (IZR 1) with (pow 0) by reflexivity. exists (-65)%Z, (-36)%Z. rewrite !F by lia. repeat split; lia.
Qed.

(* The sum moves by a quarter of the left side. *)
Lemma moved_by_left (E F rb cb g h : Z) (entries : list entry) (lambda mu : R) : Forall (valid E F) entries -> let k := Z.of_nat (length entries) in IZR (lambda_of E entries) <= lambda -> IZR (mu_of F entries) <= mu ->
  Rabs (IZR (integer_sum 0 (- (rb - g - E)) (- (cb - h - F)) (terms_of entries)) * pow (- (rb - g - E + (cb - h - F))) - exact_sum (terms_of entries)) <= left_side rb cb g h k lambda mu * pow (E + F) / 4.
Proof.
  intros V k La Lb.
  set (sa := (rb - g - E)%Z). set (sb := (cb - h - F)%Z). set (ts := terms_of entries) in *. assert (Mv := sum_moves ts sa sb 1 1 ltac:(lra) ltac:(lra)).
  assert (Half : forall T x, Rabs (IZR (nearest 0 (- T) x) - x * pow T) <= 1 / 2).
  { intros T x. assert (N := nearest_error 0 (- T) x). unfold scaled in N. replace (0 - - T)%Z with T in N by lia. lra. }
  specialize (Mv ltac:(apply Forall_forall; intros t _; split; apply Half)).
  assert (A := lambda_above E F entries V). assert (B := mu_above E F entries V). fold ts in A, B.
  assert (Sa : sum_of Rabs (map fst ts) = sum_a ts) by (clear; induction ts as [|t ts IH]; [reflexivity|]; unfold sum_of, sum_a in *; cbn [map fold_right] in *; now rewrite IH).
  assert (Sb : sum_of Rabs (map snd ts) = sum_b ts) by (clear; induction ts as [|t ts IH]; [reflexivity|]; unfold sum_of, sum_b in *; cbn [map fold_right] in *; now rewrite IH).
  assert (Len : INR (length ts) = IZR k) by (unfold ts, terms_of; rewrite map_length, INR_IZR_INZ; reflexivity). rewrite Sa, Sb, Len in Mv.
  set (S := IZR (integer_sum 0 (- sa) (- sb) ts)) in *. set (x := exact_sum ts) in *. set (m := magnitudes ts) in *.
  assert (P := bpow_gt_0 radix2 (- (sa + sb))). assert (One : pow (sa + sb) * pow (- (sa + sb)) = 1) by (rewrite <- bpow_plus; now replace (sa + sb + - (sa + sb))%Z with 0%Z by lia).
  replace (S * pow (- (sa + sb)) - x) with ((S - x * pow (sa + sb)) * pow (- (sa + sb))) by (rewrite Rmult_minus_distr_r, Rmult_assoc, One; ring).
  rewrite Rabs_mult, (Rabs_pos_eq (pow (- (sa + sb)))) by lra.
  assert (Q1 : sum_a ts * pow sa <= lambda * pow (rb - g - 24)).
  { replace (pow sa) with (pow (24 - E) * pow (rb - g - 24)) by (rewrite <- bpow_plus; f_equal; unfold sa; lia). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]. }
  assert (Q2 : sum_b ts * pow sb <= mu * pow (cb - h - 24)).
  { replace (pow sb) with (pow (24 - F) * pow (cb - h - 24)) by (rewrite <- bpow_plus; f_equal; unfold sb; lia). rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]. }
  set (t := (rb - g + (cb - h))%Z). assert (Pt := bpow_gt_0 radix2 t).
  assert (L4 : pow t / 4 * left_side rb cb g h k lambda mu = lambda * pow (rb - g - 24) / 2 + mu * pow (cb - h - 24) / 2 + IZR k / 4).
  { unfold left_side. replace (pow (rb - g - 24)) with (pow t * pow (-23 - cb + h) * / 2) by (change (/ 2) with (pow (-1)); rewrite <- !bpow_plus; f_equal; unfold t; lia).
    replace (pow (cb - h - 24)) with (pow t * pow (-23 - rb + g) * / 2) by (change (/ 2) with (pow (-1)); rewrite <- !bpow_plus; f_equal; unfold t; lia).
    assert (O : pow t * pow (g + h - rb - cb) = 1) by (rewrite <- bpow_plus; now replace (t + (g + h - rb - cb))%Z with 0%Z by (unfold t; lia)).
    replace (IZR k / 4) with (IZR k * (pow t * pow (g + h - rb - cb)) / 4) by (rewrite O; field). field. }
  apply Rle_trans with (pow t / 4 * left_side rb cb g h k lambda mu * pow (- (sa + sb))).
  - apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [exact Mv|]. rewrite L4. lra.
  - right. replace (pow (E + F)) with (pow t * pow (- (sa + sb))) by (rewrite <- bpow_plus; f_equal; unfold t, sa, sb; lia). field.
Qed.

(* Theorem: if the test in doubles or the one in floats passes, the sum of the rounded entries errs by at most (k + 1) u times the sum of the magnitudes. The row and the column are
   scaled to rb - g and cb - h bits. *)
Theorem moduli_accept (E F rb cb g h : Z) (entries : list entry) (lambda mu : R) (double : bool) : Forall (valid E F) entries -> let k := Z.of_nat (length entries) in (1 <= k < 2 ^ 22)%Z ->
  (0 <= rb <= 400)%Z -> (0 <= cb <= 400)%Z -> (-100 <= g <= 100)%Z -> IZR (lambda_of E entries) <= lambda -> IZR (mu_of F entries) <= mu -> 0 <= lambda -> 0 <= mu ->
  let sum := x_of E F entries in (0 <= sum < 2 ^ 31)%Z -> let slope := slope_of_rungs (if double then slope64 else slope32) k in let v := if double then 53%Z else 24%Z in
  let '(row_unit, col_unit, both_unit) := units_of rb cb k in
  suffices (error_of row_unit col_unit both_unit lambda (pow g) mu (pow h)) slope sum = true \/
  (exists inverse mu' power', / slope <= inverse /\ mu <= mu' /\ pow h <= power' /\
    let (own, cross) := quick_row row_unit col_unit both_unit inverse lambda (pow g) in quick_pass own cross mu' power' sum = true) ->
  Rabs (IZR (integer_sum 0 (- (rb - g - E)) (- (cb - h - F)) (terms_of entries)) * pow (- (rb - g - E + (cb - h - F))) - exact_sum (terms_of entries)) <= (IZR k + 1) * pow (- v) * magnitudes (terms_of entries).
Proof.
  intros V k Hk Hr Hc Hg La Lb Pl Pm sum Hs slope v. assert (K22 : (2 ^ 22 = 4194304)%Z) by reflexivity. assert (S31 : (2 ^ 31 = 2147483648)%Z) by reflexivity. rewrite units_value by (change (2 ^ 53)%Z with 9007199254740992%Z; lia).
  destruct (slopes k Hk) as (e & e' & Es & He & Es' & He'). assert (Slope : exists d, slope = IZR (k + 1) * pow d /\ (-80 <= d)%Z /\ (d <= -12 - v)%Z).
  { unfold slope, slope_of_rungs, v. destruct double; [exists e | exists e']; repeat split; auto; lia. }
  destruct Slope as (d & Ed & Hd & Hv). assert (Kp : 0 < IZR (k + 1)) by (apply IZR_lt; lia). assert (Pd := bpow_gt_0 radix2 d). assert (Sp : 0 < slope) by (rewrite Ed; now apply Rmult_lt_0_compat). assert (Sum0 : 0 <= IZR sum) by (apply IZR_le; lia).
  assert (Left0 : 0 <= left_side rb cb g h k lambda mu).
  { unfold left_side. assert (0 <= IZR k) by (apply IZR_le; lia). assert (P1 := bpow_gt_0 radix2 (-23 - cb + h)). assert (P2 := bpow_gt_0 radix2 (-23 - rb + g)). assert (P3 := bpow_gt_0 radix2 (g + h - rb - cb)).
    assert (0 <= lambda * pow (-23 - cb + h)) by (apply Rmult_le_pos; lra). assert (0 <= mu * pow (-23 - rb + g)) by (apply Rmult_le_pos; lra). assert (0 <= IZR k * pow (g + h - rb - cb)) by (apply Rmult_le_pos; lra). lra. }
  intros Pass. assert (Le : left_side rb cb g h k lambda mu <= slope * IZR sum).
  { destruct Pass as [T|(inverse & mu' & power' & Hi & Hm & Hp & T)].
    - unfold suffices in T. destruct (Rle_bool_spec (error_of (pow (-23 - rb)) (pow (-23 - cb)) (IZR k * pow (- rb - cb)) lambda (pow g) mu (pow h))
        (rd64 (slope * rd64 (of_words 1127219200 (wraps 32 sum) - rd64 (IZR 4503599627370496))))) as [T'|]; [|discriminate]. clear T.
      assert (W : wrap 32 (wraps 32 sum) = sum) by (rewrite wraps_small by (change (2 ^ (32 - 1))%Z with 2147483648%Z; lia); apply wrap_small; change (2 ^ 32)%Z with 4294967296%Z; lia).
      unfold of_words in T'. change (1127219200 =? 1127219200)%Z with true in T'. cbv iota in T'. rewrite W, (rd64_integer 4503599627370496), <- minus_IZR in T' by (change (2 ^ 53)%Z with 9007199254740992%Z; lia).
      replace (4503599627370496 + sum - 4503599627370496)%Z with sum in T' by ring. rewrite (rd64_integer sum) in T' by (change (2 ^ 53)%Z with 9007199254740992%Z; lia).
      assert (Ex : rd64 (slope * IZR sum) = slope * IZR sum).
      { rewrite Ed. replace (IZR (k + 1) * pow d * IZR sum) with (IZR ((k + 1) * sum) * pow d) by (rewrite mult_IZR; ring). apply integer_power; [change (2 ^ 53)%Z with 9007199254740992%Z; nia | lia]. }
      rewrite Ex in T'. eapply Rle_trans; [|exact T']. apply error_above; auto; lia.
    - unfold quick_row in T. cbv zeta in T. rewrite <- bpow_plus in T. rewrite (rnd64_exact (pow (g + (-23 - rb))) (format64_bpow (g + (-23 - rb)) ltac:(lia)) : rd64 (pow (g + (-23 - rb))) = pow (g + (-23 - rb))) in T.
      unfold fma_up, multiply_up in T. assert (A := up64_above (pow g * (IZR k * pow (- rb - cb)))). set (a := up64 (pow g * _)) in *. assert (B := up64_above (lambda * pow (-23 - cb) + a)). set (b := up64 (lambda * _ + a)) in *.
      assert (O := Rle_trans _ _ _ (up64_above (b * inverse)) (up32_above _)). set (own := up32 (up64 (b * inverse))) in *. assert (C := Rle_trans _ _ _ (up64_above (pow (g + (-23 - rb)) * inverse)) (up32_above _)). set (cross := up32 (up64 (pow _ * inverse))) in *.
      unfold quick_pass, float_fma_up, float_multiply_up, float_down in T. match type of T with Rle_bool ?x ?y = true => destruct (Rle_bool_spec x y) as [T'|]; [|discriminate] end. clear T.
      assert (M := up32_above (mu' * cross)). set (m := up32 (mu' * cross)) in *. assert (N := up32_above (power' * own + m)). assert (Dn := down32_below (IZR sum)).
      assert (I0 : 0 < inverse) by (apply Rlt_le_trans with (/ slope); [now apply Rinv_0_lt_compat | exact Hi]). assert (Ph := bpow_gt_0 radix2 h). assert (Pg := bpow_gt_0 radix2 g). assert (Pr := bpow_gt_0 radix2 (g + (-23 - rb))). assert (Pc := bpow_gt_0 radix2 (-23 - cb)). assert (Pb := bpow_gt_0 radix2 (- rb - cb)).
      assert (Kz : 0 <= IZR k) by (apply IZR_le; lia). assert (A0 : 0 <= pow g * (IZR k * pow (- rb - cb))) by (repeat apply Rmult_le_pos; lra). assert (L0 : 0 <= lambda * pow (-23 - cb)) by (apply Rmult_le_pos; lra).
      assert (B0 : 0 <= b) by lra. assert (O0 : 0 <= own) by (assert (0 <= b * inverse) by (apply Rmult_le_pos; lra); lra). assert (C0 : 0 <= cross) by (assert (0 <= pow (g + (-23 - rb)) * inverse) by (apply Rmult_le_pos; lra); lra).
      assert (S1 : pow h * own <= power' * own) by (apply Rmult_le_compat_r; lra). assert (S2 : mu * cross <= mu' * cross) by (apply Rmult_le_compat_r; lra).
      assert (S3 : pow h * (b * inverse) <= pow h * own) by (apply Rmult_le_compat_l; lra). assert (S4 : mu * (pow (g + (-23 - rb)) * inverse) <= mu * cross) by (apply Rmult_le_compat_l; lra).
      assert (Big : (pow h * b + mu * pow (g + (-23 - rb))) * inverse <= IZR sum) by lra.
      assert (Lf : left_side rb cb g h k lambda mu <= pow h * b + mu * pow (g + (-23 - rb))).
      { unfold left_side. replace (pow (-23 - cb + h)) with (pow h * pow (-23 - cb)) by (rewrite <- bpow_plus; f_equal; lia). replace (pow (-23 - rb + g)) with (pow (g + (-23 - rb))) by (f_equal; lia).
        replace (pow (g + h - rb - cb)) with (pow h * (pow g * pow (- rb - cb))) by (rewrite <- !bpow_plus; f_equal; lia).
        assert (Dh : pow h * (lambda * pow (-23 - cb) + pow g * (IZR k * pow (- rb - cb))) <= pow h * b) by (apply Rmult_le_compat_l; lra). lra. }
      set (left_ := left_side rb cb g h k lambda mu) in *. assert (X1 : left_ * inverse <= IZR sum) by (eapply Rle_trans; [apply Rmult_le_compat_r; [lra | exact Lf] | exact Big]).
      assert (X2 : left_ * / slope <= left_ * inverse) by (apply Rmult_le_compat_l; lra). apply Rmult_le_reg_r with (/ slope); [now apply Rinv_0_lt_compat|]. replace (slope * IZR sum * / slope) with (IZR sum) by (field; lra). lra. }
  eapply Rle_trans; [apply (moved_by_left E F rb cb g h entries lambda mu V La Lb)|]. assert (X := x_below E F entries V). fold sum in X. set (m := magnitudes (terms_of entries)) in *.
  assert (M0 : 0 <= m) by (unfold m; clear; induction (terms_of entries) as [|a ts IH]; [apply Rle_refl|]; unfold magnitudes in *; cbn [fold_right]; assert (P := Rabs_pos (fst a * snd a)); lra).
  assert (Pef := bpow_gt_0 radix2 (E + F)). apply Rle_trans with (slope * (m * pow (14 - E - F)) * pow (E + F) / 4).
  - unfold Rdiv. apply Rmult_le_compat_r; [lra|]. apply Rmult_le_compat_r; [lra|]. eapply Rle_trans; [exact Le|]. apply Rmult_le_compat_l; lra.
  - rewrite Ed. replace (IZR (k + 1) * pow d * (m * pow (14 - E - F)) * pow (E + F) / 4) with (IZR (k + 1) * (pow (-2) * pow d * pow (14 - E - F) * pow (E + F)) * m) by (change (pow (-2)) with (/ 4); field).
    apply Rmult_le_compat_r; [exact M0|]. rewrite plus_IZR in *. apply Rmult_le_compat_l; [lra|]. rewrite <- !bpow_plus. apply bpow_le. lia.
Qed.
