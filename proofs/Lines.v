(* The certificate of all lines of a call at once on GPUs (cuda/int8/certify_moduli.hpp: certify_lines). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Fixed Certificate Sums Errors AcceptSource Accept.

Open Scope R_scope.

(* What a line of k numbers shares with its level s: the sum of min(abs(x), s). *)
Definition shared (s : R) (xs : list R) : R := sum_of (fun x => Rmin (Rabs x) s) xs.

Lemma shared_terms (s t : R) (ts : list (R * R)) : 0 <= s -> 0 <= t ->
  s * shared t (map snd ts) + t * shared s (map fst ts) - INR (length ts) * (s * t) <= magnitudes ts.
Proof.
  intros Hs Ht. induction ts as [|(a, b) ts IH]; [unfold shared, sum_of, magnitudes; simpl; lra|]. cbn [map fst snd length]. rewrite S_INR.
  change (shared t (b :: map snd ts)) with (shared t (map snd ts) + Rmin (Rabs b) t). change (shared s (a :: map fst ts)) with (shared s (map fst ts) + Rmin (Rabs a) s).
  change (magnitudes ((a, b) :: ts)) with (magnitudes ts + Rabs (a * b)). rewrite Rabs_mult. set (p := Rmin (Rabs a) s). set (q := Rmin (Rabs b) t). assert (A := Rabs_pos a). assert (B := Rabs_pos b).
  assert (P1 : p <= Rabs a) by apply Rmin_l. assert (P2 : p <= s) by apply Rmin_r. assert (Q1 : q <= Rabs b) by apply Rmin_l. assert (Q2 : q <= t) by apply Rmin_r. assert (P0 : 0 <= p) by (unfold p; now apply Rmin_glb). assert (Q0 : 0 <= q) by (unfold q; now apply Rmin_glb).
  assert (T : p * q <= Rabs a * Rabs b) by (apply Rmult_le_compat; lra). assert (U : 0 <= (s - p) * (t - q)) by (apply Rmult_le_pos; lra). lra.
Qed.

(* What the code knows of the lines of a side: for every line, with a level, its lambda and its power of two over the level, and 2 less its share. *)
Definition line_shares (xs : list R) (lambda power level lambda_share power_share lack : R) : Prop :=
  0 < level /\ 0 <= lambda <= lambda_share * level /\ power <= power_share * level /\ format64 power_share /\ pow (-500) <= power_share /\ format64 lack /\ 1 <= lack <= 2 /\
  2 - shared level xs / (INR (length xs) * level) <= lack.

Lemma lack_exact (z : R) : format64 z -> 1 <= z <= 2 -> exists n : Z, z = IZR n * pow (-52).
Proof.
  intros F H. destruct (Req_dec z 2) as [->|N]; [exists (2 ^ 53)%Z; rewrite (IZR_Zpower radix2) by lia; rewrite <- bpow_plus; reflexivity|].
  assert (M : mag radix2 z = 1%Z :> Z) by (apply mag_unique; rewrite Rabs_pos_eq by lra; change (pow (1 - 1)) with 1; change (pow 1) with 2; lra).
  exists (Ztrunc (scaled_mantissa radix2 fexp64 z)). unfold generic_format, F2R in F. cbn [Fnum Fexp] in F. rewrite F at 1. f_equal. f_equal. unfold cexp. rewrite M. reflexivity.
Qed.

Lemma common_exact (la lb : R) : format64 la -> format64 lb -> 1 <= la <= 2 -> 1 <= lb <= 2 -> common_of la lb = 3 - la - lb.
Proof.
  intros Fa Fb Ha Hb. destruct (lack_exact la Fa Ha) as (m & Em). destruct (lack_exact lb Fb Hb) as (n & En). assert (P : pow (-52) = / 4503599627370496) by reflexivity.
  assert (Grid : forall k : Z, (Z.abs k < 2 ^ 53)%Z -> rd64 (IZR k * pow (-52)) = IZR k * pow (-52)).
  { intros k Hk. apply rnd64_exact. apply generic_format_FLT. exists (Float radix2 k (-52)); [reflexivity | cbn [Fnum]; change (Zpower radix2 53) with (2 ^ 53)%Z; lia | cbn [Fexp]; lia]. }
  unfold common_of. cbv zeta. change (2 ^ 53)%Z with 9007199254740992%Z in Grid. rewrite P in *.
  assert (M1 : (4503599627370496 <= m <= 9007199254740992)%Z) by (split; apply le_IZR; lra). assert (N1 : (4503599627370496 <= n <= 9007199254740992)%Z) by (split; apply le_IZR; lra).
  assert (E1 : IZR 3 - la = IZR (13510798882111488 - m) * / 4503599627370496) by (rewrite minus_IZR, Em; lra). destruct (Z.eq_dec m 4503599627370496) as [->|Nm].
  - assert (Two : rd64 (IZR 3 - la) = 2) by (rewrite Em; replace (IZR 3 - IZR 4503599627370496 * / 4503599627370496) with 2 by lra; exact (rnd64_exact 2 (format64_bpow 1 ltac:(lia)))). rewrite Two.
    assert (E2 : 2 - lb = IZR (9007199254740992 - n) * / 4503599627370496) by (rewrite minus_IZR, En; lra). rewrite E2, Grid by lia. rewrite <- E2, Em. lra.
  - rewrite E1, Grid by lia.
    assert (E2 : IZR (13510798882111488 - m) * / 4503599627370496 - lb = IZR (13510798882111488 - m - n) * / 4503599627370496) by (rewrite (minus_IZR _ n), En; lra). rewrite E2, Grid by lia.
    rewrite <- E2, <- E1. ring.
Qed.

Lemma common_size (la lb : R) : format64 la -> format64 lb -> 1 <= la <= 2 -> 1 <= lb <= 2 -> 0 < 3 - la - lb -> pow (-52) <= 3 - la - lb.
Proof.
  intros Fa Fb Ha Hb H. destruct (lack_exact la Fa Ha) as (m & Em). destruct (lack_exact lb Fb Hb) as (n & En). assert (P : pow (-52) = / 4503599627370496) by reflexivity. rewrite Em, En, P in *.
  assert (E : 3 - IZR m * / 4503599627370496 - IZR n * / 4503599627370496 = IZR (13510798882111488 - m - n) * / 4503599627370496) by (rewrite !minus_IZR; lra). rewrite E in *.
  assert (Q : (1 <= 13510798882111488 - m - n)%Z) by (assert (0 < 13510798882111488 - m - n)%Z by (apply lt_IZR; lra); lia). apply IZR_le in Q. lra.
Qed.

Lemma error_of_shares (rb cb k : Z) (l p m q : R) : (0 <= k)%Z -> (0 <= rb <= 400)%Z -> format64 p -> pow (-500) <= p -> 0 <= q ->
  q * (l * pow (-23 - cb) + p * (IZR k * pow (- rb - cb))) + m * (p * pow (-23 - rb)) <= error_of (pow (-23 - rb)) (pow (-23 - cb)) (IZR k * pow (- rb - cb)) l p m q.
Proof.
  intros Hk Hr Fp Hp Hq. assert (P := bpow_gt_0 radix2 (-500)). unfold error_of, fma_up, multiply_up. cbv zeta.
  rewrite (rnd64_exact (p * pow (-23 - rb)) (format64_scaled p _ Fp ltac:(right; rewrite Rabs_pos_eq by lra; apply Rle_trans with (pow (-500) * pow (-23 - rb)); [rewrite <- bpow_plus; apply bpow_le; lia | apply Rmult_le_compat_r; [apply bpow_ge_0 | exact Hp]])) : rd64 _ = _).
  eapply Rle_trans; [|apply up64_above]. assert (A := up64_above (p * (IZR k * pow (- rb - cb)))). set (a := up64 (p * _)) in *. assert (B := up64_above (l * pow (-23 - cb) + a)). set (b := up64 (l * _ + a)) in *.
  assert (C := up64_above (m * (p * pow (-23 - rb)))). set (c := up64 (m * _)) in *. assert (D : q * (l * pow (-23 - cb) + p * (IZR k * pow (- rb - cb))) <= q * b) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Definition relative (E F : Z) (ts : list (R * R)) : list (R * R) := map (fun t => (fst t * pow (- E), snd t * pow (- F))) ts.
Lemma relative_magnitudes (E F : Z) (ts : list (R * R)) : magnitudes ts = magnitudes (relative E F ts) * pow (E + F).
Proof.
  induction ts as [|(a, b) ts IH]; [unfold magnitudes; simpl; ring|]. change (magnitudes ((a, b) :: ts)) with (magnitudes ts + Rabs (a * b)).
  change (magnitudes (relative E F ((a, b) :: ts))) with (magnitudes (relative E F ts) + Rabs (a * pow (- E) * (b * pow (- F)))). rewrite IH, Rmult_plus_distr_r. f_equal. rewrite <- (Rabs_pos_eq (pow (E + F))) at 1 by apply bpow_ge_0.
  rewrite <- Rabs_mult. f_equal. rewrite bpow_plus. assert (A : pow (- E) * pow E = 1) by (rewrite <- bpow_plus; now replace (- E + E)%Z with 0%Z by lia). assert (B : pow (- F) * pow F = 1) by (rewrite <- bpow_plus; now replace (- F + F)%Z with 0%Z by lia).
  replace (a * pow (- E) * (b * pow (- F)) * (pow E * pow F)) with (a * b * (pow (- E) * pow E) * (pow (- F) * pow F)) by ring. rewrite A, B. ring.
Qed.

(* Theorem: if certify_lines accepts a number of moduli, every sum of rounded entries of a row and a column errs by at most (k + 1) u times the sum of the magnitudes.
   The shares are those of all lines of a side, so they hold for this row and this column. *)
Theorem lines_accept (E F rb cb g h even_most even_least : Z) (same_lines double : bool) (entries : list entry) (lambda mu s t lr pr la lc pc lb : R) : Forall (valid E F) entries ->
  let k := Z.of_nat (length entries) in (1 <= k < 2 ^ 22)%Z -> (0 <= rb <= 400)%Z -> (0 <= cb <= 400)%Z -> IZR (lambda_of E entries) <= lambda -> IZR (mu_of F entries) <= mu -> 
  let ts := relative E F (terms_of entries) in line_shares (map fst ts) lambda (pow g) s lr pr la -> line_shares (map snd ts) mu (pow h) t lc pc lb ->
  let common := common_of la lb in 0 < common ->
  let slope := if double then snd (fst (fst (line_rungs64 even_most even_least k same_lines))) else snd (fst (fst (line_rungs32 even_most even_least k same_lines))) in let v := if double then 53%Z else 24%Z in
  let '(row_unit, col_unit, both_unit) := units_of rb cb k in lines_pass (error_of row_unit col_unit both_unit lr pr lc pc) slope common = true ->
  Rabs (IZR (integer_sum 0 (- (rb - g - E)) (- (cb - h - F)) (terms_of entries)) * pow (- (rb - g - E + (cb - h - F))) - exact_sum (terms_of entries)) <= (IZR k + 1) * pow (- v) * magnitudes (terms_of entries).
Proof.
  intros V k Hk Hr Hc La Lb ts (S0 & L1 & P1 & Fp & Pp & Fa & Ha & Sa) (T0 & M1 & Q1 & Fq & Pq & Fb & Hb & Sb) common Hcom slope v. change (2 ^ 22)%Z with 4194304%Z in Hk. rewrite units_value by (change (2 ^ 53)%Z with 9007199254740992%Z; lia).
  unfold lines_pass. match goal with |- Rle_bool ?x ?y = true -> _ => destruct (Rle_bool_spec x y) as [Pass|]; [intros _ | discriminate] end.
  unfold common in *. rewrite (common_exact la lb Fa Fb Ha Hb) in *. set (c := 3 - la - lb) in *. assert (Size := common_size la lb Fa Fb Ha Hb Hcom). fold c in Size. assert (Kz : 1 <= IZR k) by (apply IZR_le; lia).
  (* the slope is exact *)
  assert (Slope : slope = 3 / 4 * (IZR k * (IZR k + 1)) * pow (2 - v) /\ (v = 53%Z \/ v = 24%Z)).
  { assert (Ex : forall e, (-100 <= e)%Z -> rd64 (rd64 (rd64 (IZR 3 / IZR 4 * rd64 (IZR k)) * rd64 (IZR (k + 1))) * pow e) = 3 / 4 * (IZR k * (IZR k + 1)) * pow e).
    { intros e He. rewrite !rd64_integer by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). replace (IZR 3 / IZR 4 * IZR k) with (IZR (3 * k) * pow (-2)) by (rewrite mult_IZR; change (pow (-2)) with (/ 4); field).
      rewrite integer_power by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). replace (IZR (3 * k) * pow (-2) * IZR (k + 1)) with (IZR (3 * k * (k + 1)) * pow (-2)) by (rewrite (mult_IZR (3 * k)); ring).
      rewrite integer_power by (change (2 ^ 53)%Z with 9007199254740992%Z; nia || lia). rewrite Rmult_assoc, <- bpow_plus, integer_power by (change (2 ^ 53)%Z with 9007199254740992%Z; nia || lia).
      rewrite bpow_plus, !mult_IZR, plus_IZR. change (pow (-2)) with (/ 4). field. }
    unfold slope, v, line_rungs64, line_rungs32. cbv zeta. change (64 =? 64)%Z with true. change (32 =? 64)%Z with false. cbv iota. cbn [fst snd]. destruct double; split; auto.
    - replace (IZR 1 / IZR 2251799813685248) with (pow (-51)) by (simpl; lra). apply Ex. lia.
    - replace (IZR 1 / IZR 4194304) with (pow (-22)) by (simpl; lra). apply Ex. lia. }
  destruct Slope as (Es & Hv). clearbody slope v. assert (P2 := bpow_gt_0 radix2 (2 - v)). assert (Kk : 1 <= IZR k * (IZR k + 1)) by nra. assert (Sp : pow (-60) <= slope).
  { rewrite Es. apply Rle_trans with (pow (2 - v) * (3 / 4)); [|assert (pow (2 - v) * 1 <= pow (2 - v) * (IZR k * (IZR k + 1))) by (apply Rmult_le_compat_l; lra); lra].
    apply Rle_trans with (pow (2 - v) * pow (-1)); [rewrite <- bpow_plus; apply bpow_le; lia | change (pow (-1)) with (/ 2); apply Rmult_le_compat_l; lra]. }
  assert (Ps := bpow_gt_0 radix2 (-60)). set (x := slope * c) in *. assert (X0 : pow (-112) <= x) by (replace (pow (-112)) with (pow (-60) * pow (-52)) by (rewrite <- bpow_plus; reflexivity); apply Rmult_le_compat; try apply bpow_ge_0; assumption).
  assert (Round : rd64 (rd64 x * rd64 (IZR 1 - IZR 1 / IZR 1099511627776)) <= x).
  { assert (E40 : rd64 (IZR 1 - IZR 1 / IZR 1099511627776) = 1 - / 1099511627776).
    { replace (IZR 1 - IZR 1 / IZR 1099511627776) with (IZR 1099511627775 * pow (-40)) by (simpl; lra). rewrite integer_power by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). simpl. lra. }
    rewrite E40. assert (N := normal64_positive). assert (P112 := bpow_gt_0 radix2 (-112)). assert (N112 : normal64 * 4 <= pow (-112)) by (change 4 with (pow 2); unfold normal64; rewrite <- bpow_plus; apply bpow_le; lia).
    assert (B1 := rnd64_normal x ltac:(rewrite Rabs_pos_eq by lra; lra)). rewrite (Rabs_pos_eq x) in B1 by lra. change (rnd64 x) with (rd64 x) in B1. split_abs B1. set (y := rd64 x) in *.
    assert (Y0 : x * (3 / 4) <= y) by (unfold u64 in *; lra). assert (B2 := rnd64_normal (y * (1 - / 1099511627776)) ltac:(rewrite Rabs_pos_eq by lra; lra)). rewrite (Rabs_pos_eq (y * _)) in B2 by lra.
    change (rnd64 (y * (1 - / 1099511627776))) with (rd64 (y * (1 - / 1099511627776))) in B2. split_abs B2. unfold u64 in *. lra. }
  assert (P5 := bpow_gt_0 radix2 (-500)). assert (Er := Rle_trans _ _ _ (error_of_shares rb cb k lr pr lc pc ltac:(lia) Hr Fp Pp ltac:(lra)) (Rle_trans _ _ _ Pass Round)).
  (* the left side for this row and this column *)
  assert (Pg := bpow_gt_0 radix2 g). assert (Ph := bpow_gt_0 radix2 h). assert (St : 0 < s * t) by now apply Rmult_lt_0_compat.
  assert (Left : left_side rb cb g h k lambda mu <= s * t * x).
  { eapply Rle_trans; [|apply Rmult_le_compat_l; [lra | exact Er]]. unfold left_side. replace (pow (-23 - cb + h)) with (pow h * pow (-23 - cb)) by (rewrite <- bpow_plus; f_equal; lia). replace (pow (-23 - rb + g)) with (pow g * pow (-23 - rb)) by (rewrite <- bpow_plus; f_equal; lia).
    replace (pow (g + h - rb - cb)) with (pow g * pow h * pow (- rb - cb)) by (rewrite <- !bpow_plus; f_equal; lia).
    assert (A1 : lambda * pow h <= lr * s * (pc * t)) by (apply Rmult_le_compat; lra). assert (A2 : mu * pow g <= lc * t * (pr * s)) by (apply Rmult_le_compat; lra). assert (A3 : pow g * pow h <= pr * s * (pc * t)) by (apply Rmult_le_compat; lra).
    assert (B1 := Rmult_le_compat_r _ _ _ (bpow_ge_0 radix2 (-23 - cb)) A1). assert (B2 := Rmult_le_compat_r _ _ _ (bpow_ge_0 radix2 (-23 - rb)) A2).
    assert (B3 := Rmult_le_compat_r _ _ _ (bpow_ge_0 radix2 (- rb - cb)) A3). assert (B4 := Rmult_le_compat_l (IZR k) _ _ ltac:(lra) B3). lra. }
  (* the terms are no smaller than the shares say *)
  assert (Len : length ts = length entries) by (unfold ts, relative, terms_of; now rewrite !map_length). rewrite map_length, Len in Sa, Sb. assert (Ki : INR (length entries) = IZR k) by (unfold k; apply INR_IZR_INZ). rewrite Ki in *.
  assert (Ka : (2 - la) * (IZR k * s) <= shared s (map fst ts)).
  { assert (Q : 0 < IZR k * s) by (apply Rmult_lt_0_compat; lra). replace (shared s (map fst ts)) with (shared s (map fst ts) / (IZR k * s) * (IZR k * s)) by (field; lra). apply Rmult_le_compat_r; lra. }
  assert (Kb : (2 - lb) * (IZR k * t) <= shared t (map snd ts)).
  { assert (Q : 0 < IZR k * t) by (apply Rmult_lt_0_compat; lra). replace (shared t (map snd ts)) with (shared t (map snd ts) / (IZR k * t) * (IZR k * t)) by (field; lra). apply Rmult_le_compat_r; lra. }
  assert (Mag := shared_terms s t ts ltac:(lra) ltac:(lra)). rewrite Len, Ki in Mag. assert (Ka' := Rmult_le_compat_l t _ _ ltac:(lra) Ka). assert (Kb' := Rmult_le_compat_l s _ _ ltac:(lra) Kb).
  assert (Enough : IZR k * (s * t) * c <= magnitudes ts) by (unfold c; lra).
  eapply Rle_trans; [apply (moved_by_left E F rb cb g h entries lambda mu V La Lb)|]. rewrite (relative_magnitudes E F (terms_of entries)). fold ts. fold k. set (w := pow (E + F)). assert (W : 0 < w) by apply bpow_gt_0.
  apply Rle_trans with (s * t * x * w / 4); [unfold Rdiv; apply Rmult_le_compat_r; [lra|]; apply Rmult_le_compat_r; lra|]. unfold x. rewrite Es. assert (E4 : pow (2 - v) = 4 * pow (- v)) by (change 4 with (pow 2); rewrite <- bpow_plus; reflexivity). rewrite E4.
  assert (Pv := bpow_gt_0 radix2 (- v)). set (a := (IZR k + 1) * pow (- v) * w). assert (A0 : 0 <= a) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  replace (s * t * (3 / 4 * (IZR k * (IZR k + 1)) * (4 * pow (- v)) * c) * w / 4) with (3 / 4 * (a * (IZR k * (s * t) * c))) by (unfold a; field). replace ((IZR k + 1) * pow (- v) * (magnitudes ts * w)) with (a * magnitudes ts) by (unfold a; ring).
  assert (Z := Rmult_le_compat_l a _ _ A0 Enough). assert (Z0 : 0 <= a * (IZR k * (s * t) * c)) by (apply Rmult_le_pos; [exact A0|]; apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra.
Qed.
