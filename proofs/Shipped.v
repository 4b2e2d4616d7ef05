(** The quotient of the kernel for AVX-512 with the tables that make_crt_table makes: what avx512_quotient assumes of P and of digits holds for every number of moduli. *)
From Coq Require Import ZArith Reals Lia Lra Bool.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts ModuliSource Moduli Division Tables Reconstruction Crt QuotientSource Quotient ShippedSource.
Open Scope Z_scope.

Definition digit_sum (n : Z) (f : Z -> Z) : Z := sum_below n (fun d => f d * 2 ^ (16 * d)).

Lemma digit_sum_bound : forall m f, 0 <= m -> forall n, 0 <= n -> (forall d, 0 <= d < n -> Z.abs (f d) <= m) -> Z.abs (digit_sum n f) * 65535 <= m * (2 ^ (16 * n) - 1).
Proof.
  intros m f mpos n pos. pattern n. apply natlike_ind; [intros _; cbn; lia | | exact pos]. clear n pos. intros n pos IH small. rewrite <- Z.add_1_r. unfold digit_sum in *. rewrite sum_below_next by exact pos.
  specialize (IH (fun d H => small d ltac:(lia))). pose proof (small n ltac:(lia)) as last. replace (16 * (n + 1)) with (16 * n + 16) by lia. rewrite Z.pow_add_r by lia. change (2 ^ 16) with 65536.
  set (p := 2 ^ (16 * n)) in *. assert (0 < p) by (apply Z.pow_pos_nonneg; lia). set (s := sum_below n (fun d => f d * 2 ^ (16 * d))) in *.
  pose proof (Z.abs_triangle s (f n * p)). rewrite (Z.abs_mul (f n) p), (Z.abs_eq p) in * by lia. nia.
Qed.

Lemma digit_of : forall v k, 0 <= k -> Z.land (Z.shiftr (limb v (Z.quot k 4)) (16 * Z.rem k 4)) 65535 = (v / 2 ^ (16 * k)) mod 2 ^ 16.
Proof.
  intros v k pos. pose proof (Z.quot_rem' k 4) as split_. pose proof (Z.rem_bound_pos k 4 pos ltac:(lia)) as low. assert (0 <= Z.quot k 4) by (apply Z.quot_pos; lia). set (q := Z.quot k 4) in *. set (r := Z.rem k 4) in *.
  unfold limb, wrap. rewrite <- Z.shiftr_div_pow2 by lia. change 65535 with (Z.ones 16). rewrite <- !Z.land_ones by lia. apply Z.bits_inj'. intros n npos.
  rewrite !Z.land_spec, !Z.shiftr_spec, !Z.land_spec, Z.shiftr_spec by lia. replace (n + 16 * r + 64 * q) with (n + 16 * k) by lia.
  destruct (Z.lt_ge_cases n 16); [| now rewrite (Z.ones_spec_high 16), !andb_false_r by lia]. rewrite (Z.ones_spec_low 16) by lia. rewrite (Z.ones_spec_low 64) by lia. now rewrite !andb_true_r.
Qed.

(** Digits of 16 bits between -2^15 and 2^15 stand for the number. *)
Lemma balanced_digits_right : forall v below n, 0 <= below -> 1 <= n <= 24 -> Z.abs v * 4 <= 2 ^ (16 * n) ->
  let f := balanced_digits (wrap 384 v) below (below + n) in (forall d, Z.abs (f d) <= 32768) /\ digit_sum (below + n) f = v * 2 ^ (16 * below).
Proof.
  intros v below n bpos nrange small. unfold balanced_digits. cbv zeta.
  match goal with |- context [for_up below (below + n) ?body _] => set (step := body) end.
  assert (state : let '(carry, f) := for_up below (below + n) step (0, fun _ => 0) in (carry = 0 \/ carry = 1) /\ (forall d, Z.abs (f d) <= 32768) /\ (forall d, below + n <= d -> f d = 0) /\
    digit_sum (below + n) f + carry * 2 ^ (16 * (below + n)) = (wrap 384 v mod 2 ^ (16 * (below + n - below))) * 2 ^ (16 * below)).
  { apply (for_up_invariant (fun i s => let '(carry, f) := s in (carry = 0 \/ carry = 1) /\ (forall d, Z.abs (f d) <= 32768) /\ (forall d, i <= d -> f d = 0) /\
      digit_sum i f + carry * 2 ^ (16 * i) = (wrap 384 v mod 2 ^ (16 * (i - below))) * 2 ^ (16 * below))); [lia | |].
    - split; [now left |]. split; [intros; reflexivity || (cbn; lia) |]. split; [reflexivity |]. rewrite Z.sub_diag. cbn [Z.mul Z.pow]. rewrite Z.mod_1_r.
      assert (zero : digit_sum below (fun _ => 0) = 0). { pattern below. apply natlike_ind; [reflexivity | | exact bpos]. intros m mpos IH. rewrite <- Z.add_1_r. unfold digit_sum in *. rewrite sum_below_next by exact mpos. lia. }
      rewrite zero. lia.
    - intros i [carry f] irange (carries & digits & none & value). unfold step. rewrite digit_of by lia. set (a := wrap 384 v) in *. set (x := (a / 2 ^ (16 * (i - below))) mod 2 ^ 16).
      assert (xrange : 0 <= x < 65536) by (apply Z.mod_pos_bound; reflexivity). change (2 ^ 16) with 65536 in *. rewrite (wraps_small 32 x) by (change (2 ^ (32 - 1)) with 2147483648; lia).
      assert (next : a mod 2 ^ (16 * (i + 1 - below)) = a mod 2 ^ (16 * (i - below)) + 2 ^ (16 * (i - below)) * x).
      { replace (16 * (i + 1 - below)) with (16 * (i - below) + 16) by lia. rewrite Z.pow_add_r by lia. change (2 ^ 16) with 65536. unfold x. apply Z.rem_mul_r; [apply Z.pow_nonzero; lia | lia]. }
      assert (power : 2 ^ (16 * (i - below)) * 2 ^ (16 * below) = 2 ^ (16 * i)) by (rewrite <- Z.pow_add_r by lia; f_equal; lia). assert (up : 2 ^ (16 * (i + 1)) = 65536 * 2 ^ (16 * i)) by (replace (16 * (i + 1)) with (16 + 16 * i) by lia; rewrite Z.pow_add_r by lia; reflexivity).
      assert (sum : forall w, digit_sum (i + 1) (update f i w) = digit_sum i f + w * 2 ^ (16 * i)).
      { intros w. unfold digit_sum. rewrite sum_below_next by lia. unfold update at 2. rewrite Z.eqb_refl. f_equal. apply sum_below_ext. intros d drange. unfold update. now replace (d =? i) with false by (symmetry; apply Z.eqb_neq; lia). }
      assert (kept : forall w, Z.abs w <= 32768 -> (forall d, Z.abs (update f i w d) <= 32768) /\ (forall d, i + 1 <= d -> update f i w d = 0)).
      { intros w wsmall. unfold update. split; intros d; destruct (Z.eqb_spec d i); auto; intros; [lia | apply none; lia]. }
      rewrite next, up. destruct (Z.geb_spec (x + carry) 32768) as [large | less]; cbn [Z.b2z Z.eqb negb].
      + rewrite (wraps_small 16) by (change (2 ^ (16 - 1)) with 32768; lia). destruct (kept (x + carry - 65536) ltac:(lia)) as [k1 k2]. split; [now right |]. split; [exact k1 |]. split; [exact k2 |]. rewrite sum. nia.
      + rewrite (wraps_small 16) by (change (2 ^ (16 - 1)) with 32768; lia). destruct (kept (x + carry) ltac:(lia)) as [k1 k2]. split; [now left |]. split; [exact k1 |]. split; [exact k2 |]. rewrite sum. nia. }
  destruct (for_up below (below + n) step (0, fun _ => 0)) as [carry f]. destruct state as (carries & digits & _ & value). split; [exact digits |].
  replace (below + n - below) with n in value by lia. set (M := 2 ^ (16 * n)) in *. set (B := 2 ^ (16 * below)) in *. assert (Bpos : 0 < B) by (apply Z.pow_pos_nonneg; lia). assert (Mpos : 0 < M) by (apply Z.pow_pos_nonneg; lia).
  assert (whole : 2 ^ (16 * (below + n)) = M * B) by (unfold M, B; rewrite <- Z.pow_add_r by lia; f_equal; lia). rewrite whole in value.
  assert (same : (wrap 384 v) mod M = v mod M).
  { unfold wrap. symmetry. apply Znumtheory.Zmod_div_mod; [exact Mpos | reflexivity |]. exists (2 ^ (384 - 16 * n)). unfold M. rewrite <- Z.pow_add_r by lia. f_equal. lia. }
  rewrite same in value. pose proof (Z.div_mod v M ltac:(lia)) as divided. pose proof (digit_sum_bound 32768 f ltac:(lia) (below + n) ltac:(lia) (fun d _ => digits d)) as bound. rewrite whole in bound.
  set (s := digit_sum (below + n) f) in *. set (q := v / M) in *. set (rest := v mod M) in *. assert (Mbig : 65536 <= M) by (change 65536 with (2 ^ 16); apply Z.pow_le_mono_r; lia).
  assert (form : s = (v - (q + carry) * M) * B) by (replace (v - (q + carry) * M) with (rest - carry * M) by lia; lia).
  assert (inner : Z.abs (v - (q + carry) * M) * 65535 <= 32768 * M).
  { rewrite form, Z.abs_mul, (Z.abs_eq B) in bound by lia. apply Z.mul_le_mono_pos_r with (p := B); [exact Bpos |]. lia. }
  assert (q + carry = 0) by nia. rewrite form. replace (q + carry) with 0 by lia. ring.
Qed.

Lemma sum_exchange : forall count n (g : Z -> Z -> Z) (r : Z -> Z), 0 <= count -> 0 <= n ->
  digit_sum n (fun d => sum_below count (fun l => r l * g d l)) = sum_below count (fun l => r l * digit_sum n (fun d => g d l)).
Proof.
  intros count n g r cpos npos. pattern n. apply natlike_ind; [| | exact npos].
  - unfold digit_sum at 1. cbn. pattern count. apply natlike_ind; [reflexivity | | exact cpos]. intros c pos IH. rewrite <- Z.add_1_r, sum_below_next by exact pos. rewrite <- IH. cbn. lia.
  - clear n npos. intros n npos IH. rewrite <- Z.add_1_r. unfold digit_sum at 1. rewrite sum_below_next by exact npos. fold (digit_sum n (fun d => sum_below count (fun l => r l * g d l))). rewrite IH.
    assert (step : forall l, digit_sum (n + 1) (fun d => g d l) = digit_sum n (fun d => g d l) + g n l * 2 ^ (16 * n)) by (intros l; unfold digit_sum; rewrite sum_below_next by exact npos; reflexivity).
    rewrite (sum_below_ext count (fun l => r l * digit_sum (n + 1) (fun d => g d l)) (fun l => r l * digit_sum n (fun d => g d l) + r l * g n l * 2 ^ (16 * n))) by (intros; rewrite step; ring).
    clear IH step. pattern count. apply natlike_ind; [reflexivity | | exact cpos]. intros c pos IH. rewrite <- Z.add_1_r, !sum_below_next by exact pos. lia.
Qed.

Lemma sum_bound : forall n f m, 0 <= n -> (forall l, 0 <= l < n -> Z.abs (f l) <= m) -> Z.abs (sum_below n f) <= n * m.
Proof.
  intros n f m pos. pattern n. apply natlike_ind; [intros _; cbn; lia | | exact pos]. clear n pos. intros n pos IH small. rewrite <- Z.add_1_r, sum_below_next by exact pos.
  specialize (IH (fun l H => small l ltac:(lia))). pose proof (small n ltac:(lia)). lia.
Qed.

(** Theorem: for every number of moduli and residues between -128 and 128, the three leading digits of the sum S + n P give -n modulo 2^16. *)
Theorem avx512_quotient_shipped : forall bits_of (quotient : Z -> R) count (residues : Z -> Z) n s, bits_as_stored bits_of -> 1 <= count <= max_moduli ->
  (forall l, 0 <= l < count -> Z.abs (residues l) <= 128) ->
  let P := product_of (real_planes count) count in let W := weight_of (real_planes count) count in
  let '(digits, below, exponent) := shape_of_table P in
  let weight_digit d l := digits_of_plane (fun l => wrap (64 * crt_limbs) (W l)) (fun _ _ => 0) digits below l d l in
  let digit d := sum_below count (fun l => residues l * weight_digit d l) in let low := digits - top_digits in
  (forall i, 0 <= i < 3 -> (Rabs (quotient i - bpow radix2 (16 * (digits - 1 - i) + exponent) / IZR P) <= bpow radix2 (16 * (digits - 1 - i) + exponent) / IZR P * / 8388608)%R) ->
  sum_below count (fun l => residues l * W l) = s + n * P -> (Rabs (IZR s) <= IZR P * (16 / 33))%R ->
  0 <= low /\ avx512_quotient_word bits_of quotient (digit (low + 4)) (digit (low + 5)) (digit (low + 6)) = (- n) mod 2 ^ 16.
Proof.
  intros bits_of quotient count residues n s stored range small P W. unfold shape_of_table. cbv zeta. pose proof (real_fit count range) as fit. pose proof fit as [counts [_ [_ [_ room]]]].
  pose proof (product_positive _ _ fit count ltac:(lia)) as positive. fold P in room, positive. change (64 * crt_limbs) with 384 in *.
  set (needed := Z.quot (wide_bit_length P) 16 + 1).
  assert (bits : 2 ^ (16 * (needed - 1) - 1) <= P /\ P < 2 ^ (16 * needed - 1) /\ 1 <= needed <= 24).
  { unfold needed, wide_bit_length. replace (P =? 0) with false by (symmetry; apply Z.eqb_neq; lia). pose proof (Z.log2_spec P positive) as spec. pose proof (Z.log2_nonneg P). rewrite Z.quot_div_nonneg by lia.
    assert (log : Z.log2 P < 383) by (apply Z.log2_lt_pow2; lia). pose proof (Z.div_mod (Z.log2 P + 1) 16 ltac:(lia)) as divided. pose proof (Z.mod_pos_bound (Z.log2 P + 1) 16 ltac:(lia)). set (q := (Z.log2 P + 1) / 16) in *.
    split; [| split; [| lia]].
    - destruct (Z.eq_dec q 0) as [-> |]; [cbn; lia |]. apply Z.le_trans with (2 ^ Z.log2 P); [apply Z.pow_le_mono_r; lia | lia].
    - apply Z.lt_le_trans with (2 ^ Z.succ (Z.log2 P)); [lia | apply Z.pow_le_mono_r; lia]. }
  destruct bits as (least & most & nrange). set (digits := if needed <? 7 then 7 else needed). set (below := digits - needed). assert (shape : 0 <= below /\ 7 <= digits /\ digits = below + needed) by (unfold below, digits; destruct (Z.ltb_spec needed 7); lia).
  destruct shape as (bpos & dpos & dvalue). set (weight_digit := fun d l => digits_of_plane (fun l => wrap 384 (W l)) (fun _ _ => 0) digits below l d l).
  assert (own : forall l d, 0 <= d < digits -> weight_digit d l = balanced_digits (wrap 384 (W l)) below digits d).
  { intros l d drange. unfold weight_digit, digits_of_plane. cbv zeta. set (f := balanced_digits (wrap 384 (W l)) below digits).
    assert (all : forall d, 0 <= d < digits -> for_up 0 digits (fun d0 w => update2 w d0 l (f d0)) (fun _ _ => 0) d l = f d).
    { apply (for_up_invariant (fun i w => forall d, 0 <= d < i -> w d l = f d)); [lia | intros; lia |]. intros j w jrange known d' range'. unfold update2. rewrite Z.eqb_refl, andb_true_r. destruct (Z.eqb_spec d' j) as [-> |]; [reflexivity | apply known; lia]. }
    apply all. exact drange. }
  assert (plane : forall l, 0 <= l < count -> (forall d, 0 <= d < digits -> Z.abs (weight_digit d l) <= 32768) /\ digit_sum digits (fun d => weight_digit d l) = W l * 2 ^ (16 * below)).
  { intros l lrange. destruct (weight_facts _ _ fit l lrange) as [_ [_ [wsmall _]]]. fold P W in wsmall. assert (quarter : Z.abs (W l) * 4 <= 2 ^ (16 * needed)).
    { replace (16 * needed) with (Z.succ (16 * needed - 1)) by lia. rewrite Z.pow_succ_r by lia. lia. }
    destruct (balanced_digits_right (W l) below needed bpos nrange quarter) as (each & total). rewrite <- dvalue in each, total. split.
    - intros d drange. rewrite own by exact drange. apply each.
    - rewrite <- total. unfold digit_sum. apply sum_below_ext. intros d drange. now rewrite own by exact drange. }
  intros near whole capacity. change top_digits with 7. set (low := digits - 7). assert (lpos : 0 <= low) by (unfold low; lia). split; [exact lpos |].
  set (digit := fun d => sum_below count (fun l => residues l * weight_digit d l)). change (49) with max_moduli in *. assert (cmost : count <= 49) by (unfold max_moduli in range; lia).
  assert (digit_small : forall d, 0 <= d < digits -> Z.abs (digit d) <= 205520896).
  { intros d drange. apply Z.le_trans with (count * (128 * 32768)); [| lia]. apply sum_bound; [lia |]. intros l lrange. rewrite Z.abs_mul. destruct (plane l lrange) as [each _]. specialize (each d drange). specialize (small l lrange). apply Z.mul_le_mono_nonneg; lia. }
  assert (total : digit_sum digits digit = (s + n * P) * 2 ^ (16 * below)).
  { unfold digit. rewrite sum_exchange by lia. rewrite <- whole. rewrite (sum_below_ext count _ (fun l => residues l * W l * 2 ^ (16 * below))).
    - clear. generalize count. intros c. destruct (Z.le_gt_cases 0 c) as [cpos |]; [| destruct c; [lia | lia | reflexivity]]. pattern c. apply natlike_ind; [reflexivity | | exact cpos].
      intros m mpos IH. rewrite <- Z.add_1_r, !sum_below_next by exact mpos. lia.
    - intros l lrange. destruct (plane l lrange) as [_ value]. rewrite value. ring. }
  (* the leading digits of a weight *)
  set (Q := P * 2 ^ (16 * below)). assert (Bpos : 0 < 2 ^ (16 * below)) by (apply Z.pow_pos_nonneg; lia). assert (Qleast : 2 ^ (16 * (digits - 1)) <= 2 * Q).
  { unfold Q. destruct (Z.eq_dec needed 1) as [e | e].
    - replace (digits - 1) with below by lia. assert (1 * 2 ^ (16 * below) <= P * 2 ^ (16 * below)) by (apply Z.mul_le_mono_nonneg_r; lia). lia.
    - replace (16 * (digits - 1)) with (Z.succ (16 * (needed - 1) - 1) + 16 * below) by lia. rewrite Z.pow_add_r, Z.pow_succ_r by lia.
      assert (2 ^ (16 * (needed - 1) - 1) * 2 ^ (16 * below) <= P * 2 ^ (16 * below)) by (apply Z.mul_le_mono_nonneg_r; lia). lia. }
  assert (Qz : 0 < Q) by (apply Z.mul_pos_pos; lia). set (T := 2 ^ (16 * (digits - 1))) in *. assert (Tpos : 0 < T) by (apply Z.pow_pos_nonneg; lia).
  assert (lead : forall l, 0 <= l < count -> Z.abs (weight_digit (digits - 1) l) * T <= 2 * Q).
  { intros l lrange. destruct (plane l lrange) as [each value]. destruct (weight_facts _ _ fit l lrange) as [_ [_ [wsmall _]]]. fold P W in wsmall.
    replace digits with (digits - 1 + 1) in value by lia. unfold digit_sum in value. rewrite sum_below_next in value by lia. fold (digit_sum (digits - 1) (fun d => weight_digit d l)) in value. fold T in value.
    pose proof (digit_sum_bound 32768 (fun d => weight_digit d l) ltac:(lia) (digits - 1) ltac:(lia) (fun d H => each d ltac:(lia))) as lower. fold T in lower. set (x := digit_sum (digits - 1) (fun d => weight_digit d l)) in *.
    assert (half : 2 * Z.abs (W l * 2 ^ (16 * below)) <= Q) by (unfold Q; rewrite Z.abs_mul, (Z.abs_eq (2 ^ (16 * below))), Z.mul_assoc by lia; apply Z.mul_le_mono_nonneg_r; lia).
    assert (e : weight_digit (digits - 1) l * T = W l * 2 ^ (16 * below) - x) by lia. rewrite <- (Z.abs_eq T) at 1 by lia. rewrite <- Z.abs_mul, e. lia. }
  assert (digit6 : Z.abs (digit (digits - 1)) * T <= 12544 * Q).
  { rewrite <- (Z.abs_eq T) by lia. rewrite <- Z.abs_mul. unfold digit.
    assert (scaled : sum_below count (fun l => residues l * weight_digit (digits - 1) l) * T = sum_below count (fun l => residues l * weight_digit (digits - 1) l * T)).
    { clear. generalize count. intros c. destruct (Z.le_gt_cases 0 c) as [cpos |]; [| destruct c; [lia | lia | reflexivity]]. pattern c. apply natlike_ind; [reflexivity | | exact cpos].
      intros m mpos IH. rewrite <- Z.add_1_r, !sum_below_next by exact mpos. lia. }
    rewrite scaled. apply Z.le_trans with (count * (256 * Q)); [| replace (12544 * Q) with (49 * (256 * Q)) by lia; apply Z.mul_le_mono_nonneg_r; lia]. apply sum_bound; [lia |]. intros l lrange. rewrite !Z.abs_mul, (Z.abs_eq T) by lia. specialize (small l lrange). specialize (lead l lrange). rewrite <- Z.mul_assoc. replace (256 * Q) with (128 * (2 * Q)) by lia.
    apply Z.mul_le_mono_nonneg; [lia | exact small | apply Z.mul_nonneg_nonneg; lia | exact lead]. }
  (* in units of the lowest digit of the window *)
  set (below_window := digit_sum (low + 4) digit). pose proof (digit_sum_bound 205520896 digit ltac:(lia) (low + 4) ltac:(lia) (fun d H => digit_small d ltac:(unfold low in *; lia))) as rest_bound. fold below_window in rest_bound.
  assert (parts : digit (low + 6) * 2 ^ (16 * (low + 6)) + digit (low + 5) * 2 ^ (16 * (low + 5)) + digit (low + 4) * 2 ^ (16 * (low + 4)) + below_window = (s + n * P) * 2 ^ (16 * below)).
  { rewrite <- total. replace digits with (low + 4 + 1 + 1 + 1) by (unfold low; lia). unfold digit_sum at 1. rewrite !sum_below_next by lia. fold (digit_sum (low + 4) digit). fold below_window.
    replace (low + 4 + 1) with (low + 5) by lia. replace (low + 5 + 1) with (low + 6) by lia. ring. }
  assert (power : forall k, 0 <= k -> IZR (2 ^ k) = bpow radix2 k) by (clear; intros k H; exact (IZR_Zpower radix2 k H)).
  set (u := bpow radix2 (- (16 * low))%Z). assert (upos : (0 < u)%R) by apply bpow_gt_0. assert (units : forall k, 0 <= k -> (IZR (2 ^ (16 * (low + k))) * u = bpow radix2 (16 * k))%R).
  { clear - lpos power. intros k kpos. rewrite power by lia. unfold u. rewrite <- bpow_plus. f_equal. lia. }
  assert (quotients : forall i, 0 <= i < 3 -> (bpow radix2 (16 * (digits - 1 - i) + -16 * below) / IZR P = bpow radix2 (96 - 16 * i) / (IZR Q * u))%R).
  { intros i irange. unfold Q, u. rewrite mult_IZR, power by lia. assert (IZR P <> 0)%R by (apply not_0_IZR; lia).
    replace (bpow radix2 (16 * (digits - 1 - i) + -16 * below)) with (bpow radix2 (96 - 16 * i) * (bpow radix2 (16 * low) * bpow radix2 (- (16 * below))))%R by (rewrite <- !bpow_plus; f_equal; unfold low; lia).
    rewrite !bpow_opp. field. repeat split; try assumption; apply Rgt_not_eq, bpow_gt_0. }
  pose proof (IZR_lt 0 Q Qz) as Qpos. pose proof (near 0 ltac:(lia)) as near0. pose proof (near 1 ltac:(lia)) as near1. pose proof (near 2 ltac:(lia)) as near2. rewrite !quotients in near0, near1, near2 by lia.
  change (96 - 16 * 0) with 96 in near0. change (96 - 16 * 1) with 80 in near1. change (96 - 16 * 2) with 64 in near2.
  apply (avx512_quotient bits_of quotient (digit (low + 4)) (digit (low + 5)) (digit (low + 6)) n (IZR Q * u) (IZR (s * 2 ^ (16 * below)) * u) (IZR below_window * u)); try assumption.
  - apply Rmult_le_reg_r with 2%R; [lra |]. replace (bpow radix2 95 * 2)%R with (bpow radix2 96) by (replace 96 with (95 + 1) by lia; rewrite bpow_plus; reflexivity).
    change (bpow radix2 96) with (bpow radix2 (16 * 6)). rewrite <- (units 6 ltac:(lia)). replace (IZR Q * u * 2)%R with (2 * IZR Q * u)%R by ring. apply Rmult_le_compat_r; [lra |]. rewrite <- mult_IZR. apply IZR_le. replace (low + 6) with (digits - 1) by (unfold low; lia). exact Qleast.
  - pose proof (digit_small (low + 4) ltac:(unfold low; lia)). change (2 ^ 28) with 268435456. lia.
  - pose proof (digit_small (low + 5) ltac:(unfold low; lia)). change (2 ^ 28) with 268435456. lia.
  - change (bpow radix2 96) with (bpow radix2 (16 * 6)). rewrite <- (units 6 ltac:(lia)). replace (IZR (digit (low + 6)%Z) * (IZR (2 ^ (16 * (low + 6))) * u / (IZR Q * u)))%R with (IZR (digit (low + 6)%Z * 2 ^ (16 * (low + 6))) / IZR Q)%R by (rewrite mult_IZR; field; lra).
    replace (low + 6) with (digits - 1) by (unfold low; lia). fold T. unfold Rdiv. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (IZR Q)), <- abs_IZR, Z.abs_mul, (Z.abs_eq T) by lra || lia.
    apply Rmult_le_reg_r with (IZR Q); [exact Qpos |]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra. rewrite <- mult_IZR. apply IZR_le. lia.
  - rewrite Rabs_mult, (Rabs_pos_eq u) by lra. rewrite <- abs_IZR. apply Rmult_le_reg_r with 65535%R; [lra |].
    apply Rle_trans with (IZR (205520896 * 2 ^ (16 * (low + 4))) * u)%R.
    + replace (IZR (Z.abs below_window) * u * 65535)%R with (IZR (Z.abs below_window * 65535) * u)%R by (rewrite mult_IZR; ring). apply Rmult_le_compat_r; [lra |]. apply IZR_le. assert (0 < 2 ^ (16 * (low + 4))) by (apply Z.pow_pos_nonneg; lia). lia.
    + rewrite mult_IZR, Rmult_assoc, units by lia. change (16 * 4) with 64. replace 76 with (12 + 64) by lia. rewrite (bpow_plus radix2 12 64). change (bpow radix2 12) with 4096%R. pose proof (bpow_gt_0 radix2 64). lra.
  - change 96 with (16 * 6). change 80 with (16 * 5). change 64 with (16 * 4). rewrite <- !units by lia. apply (f_equal IZR) in parts. rewrite !plus_IZR, !mult_IZR, plus_IZR, mult_IZR in parts. unfold Q. rewrite !mult_IZR.
    set (t := IZR (2 ^ (16 * below))) in *. replace (IZR s * t * u + IZR n * (IZR P * t * u))%R with ((IZR s + IZR n * IZR P) * t * u)%R by ring. rewrite <- parts. ring.
  - unfold Q. rewrite !mult_IZR, !Rabs_mult, (Rabs_pos_eq u), (Rabs_pos_eq (IZR (2 ^ (16 * below)))) by (try apply IZR_le; lra || lia). rewrite (Rmult_comm (IZR P)), !Rmult_assoc. rewrite (Rmult_comm (Rabs _)).
    replace (IZR (2 ^ (16 * below)) * (IZR P * (u * (16 / 33))))%R with (IZR P * (16 / 33) * (IZR (2 ^ (16 * below)) * u))%R by ring. replace (IZR (2 ^ (16 * below)) * u * Rabs (IZR s))%R with (Rabs (IZR s) * (IZR (2 ^ (16 * below)) * u))%R by ring.
    apply Rmult_le_compat_r; [apply Rmult_le_pos; [apply IZR_le; lia | lra] | exact capacity].
Qed.
