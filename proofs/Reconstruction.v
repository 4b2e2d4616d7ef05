(** The quotient of the Chinese remainder theorem in doubles, for any weights. *)
From Coq Require Import ZArith Reals Lia Lra Bool List.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts ModuliSource CrtSource.
Open Scope Z_scope.

Lemma crt_margin_value : crt_margin = (33 / 32)%R.
Proof.
  unfold crt_margin, rd64.
  rewrite (round_generic radix2 _ ZnearestE (1 / 32)%R).
  2: { apply generic_format_FLT. exists (Float radix2 1 (-5)); simpl; [unfold F2R; simpl; lra | lia | lia]. }
  replace (1 + 1 / 32)%R with (33 / 32)%R by lra. apply round_generic; [auto with typeclass_instances |].
  apply generic_format_FLT. exists (Float radix2 33 (-5)); simpl; [unfold F2R; simpl; lra | lia | lia].
Qed.

Lemma divides_trans_sum : forall m a b c, (m | a - b) -> (m | b - c) -> (m | a - c).
Proof. intros m a b c [x ex] [y ey]. exists (x + y). lia. Qed.

Section Reconstruction.

Variables (L count P s : Z) (W residues weight : Z -> Z) (fraction : Z -> R) (stride product : Z).
Hypothesis limbs : 1 <= L <= crt_limbs.
Hypothesis planes : 0 <= count <= 64.
Hypothesis modulus : 0 < P < 2 ^ (64 * crt_limbs - 1).
Hypothesis small_residues : forall l, 0 <= l < count -> Z.abs (residues (l * stride)) <= 255.
Hypothesis small_weights : forall l, 0 <= l < count -> 2 * Z.abs (W l) <= P.
Hypothesis weights : forall l, 0 <= l < count -> weight l = wrap (64 * crt_limbs) (W l).
Hypothesis products : product = wrap (64 * crt_limbs) P.
Hypothesis fractions : forall l, 0 <= l < count -> fraction l = rd64 (IZR (W l) / IZR P).
Hypothesis right_sum : (P | sum_below count (fun l => residues (l * stride) * W l) - s).
Hypothesis capacity : (Rabs (IZR s) <= IZR P / 2 / crt_margin)%R.

Let r l := residues (l * stride).
Let exact n := (IZR (sum_below n (fun l => (r l * W l)%Z)) / IZR P)%R.

Let e39 : bpow radix2 (-39) = (/ 549755813888)%R. Proof. reflexivity. Qed.

Lemma P_positive : (0 < IZR P)%R.
Proof. apply IZR_lt. lia. Qed.

(** One turn of the loop adds a term to the wrap-around sum, and one to the sum of doubles (quotient_term). *)
Lemma wide_term : forall n y, 0 <= n < count ->
  (2 ^ (64 * L) | y - sum_below n (fun l => r l * W l)) ->
  (2 ^ (64 * L) | wide_add L y (wide_negate_if L (wide_mul L (wide_cast crt_limbs L (weight n)) (wrap 64 (if r n <? 0 then - r n else r n))) (r n <? 0))
                  - sum_below (n + 1) (fun l => r l * W l)).
Proof.
  intros n y range [k before].
  pose proof (small_residues n range) as small. fold (r n) in small.
  rewrite sum_below_next by lia.
  assert (magnitude : wrap 64 (if r n <? 0 then - r n else r n) = Z.abs (r n)).
  { rewrite wrap_small; destruct (Z.ltb_spec (r n) 0); lia. }
  rewrite magnitude.
  assert (cast : (2 ^ (64 * L) | wide_cast crt_limbs L (weight n) - W n)).
  { unfold wide_cast. rewrite (weights n range). rewrite wraps_wrap.
    - apply wrap_divides. lia.
    - unfold crt_limbs. lia.
    - pose proof (small_weights n range). lia. }
  destruct cast as [a cast].
  unfold wide_add, wide_mul.
  set (term := wide_negate_if L _ _).
  assert (right_term : (2 ^ (64 * L) | term - r n * W n)).
  { unfold term, wide_negate_if.
    destruct (wrap_divides (64 * L) (wide_cast crt_limbs L (weight n) * Z.abs (r n)) ltac:(lia)) as [b product_].
    destruct (Z.ltb_spec (r n) 0) as [negative | positive].
    - destruct (wrap_divides (64 * L) (- wrap (64 * L) (wide_cast crt_limbs L (weight n) * Z.abs (r n))) ltac:(lia)) as [c negated].
      exists (c - b + a * r n). rewrite Z.abs_neq in * by lia. nia.
    - exists (b + a * r n). rewrite Z.abs_eq in * by lia. nia. }
  destruct right_term as [b right_term].
  destruct (wrap_divides (64 * L) (y + term) ltac:(lia)) as [c sum].
  exists (k + b + c). lia.
Qed.

Lemma exact_next : forall n, 0 <= n -> exact (n + 1) = (exact n + IZR (r n) * (IZR (W n) / IZR P))%R.
Proof.
  intros n pos. unfold exact. rewrite sum_below_next by exact pos. rewrite plus_IZR, mult_IZR.
  pose proof P_positive. field. lra.
Qed.

Lemma weight_fraction : forall n, 0 <= n < count -> (Rabs (IZR (W n) / IZR P) <= 1 / 2)%R.
Proof.
  intros n range. pose proof (small_weights n range) as small. pose proof P_positive as positive.
  unfold Rdiv at 1. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (IZR P)) by lra.
  apply IZR_le in small. rewrite mult_IZR, abs_IZR in small.
  apply Rmult_le_reg_r with (IZR P); [lra |]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma quotient_term : forall n q, 0 <= n < count ->
  (Rabs (q - exact n) <= IZR n * bpow radix2 (-39))%R -> (Rabs (exact n) <= IZR n * (255 / 2))%R ->
  (Rabs (rd64 (q + rd64 (rd64 (IZR (r n)) * fraction n)) - exact (n + 1)) <= IZR (n + 1) * bpow radix2 (-39))%R
  /\ (Rabs (exact (n + 1)) <= IZR (n + 1) * (255 / 2))%R.
Proof.
  intros n q range near size.
  pose proof (small_residues n range) as small. fold (r n) in small.
  rewrite rd64_integer by lia.
  pose proof (weight_fraction n range) as half.
  rewrite exact_next by lia. rewrite (fractions n range).
  set (w := (IZR (W n) / IZR P)%R) in *. rewrite plus_IZR. rewrite e39 in *.
  assert (n_small : (0 <= IZR n <= 63)%R) by (split; apply IZR_le; lia).
  assert (r_small : (Rabs (IZR (r n)) <= 255)%R) by (rewrite <- abs_IZR; apply IZR_le; exact small).
  set (x := IZR (r n)) in *.
  assert (f_error : (Rabs (rd64 w - w) <= / 18014398509481984)%R).
  { apply (rd64_error w 0); [lia | simpl; lra]. }
  assert (xw : (Rabs (x * w) <= 255 / 2)%R).
  { rewrite Rabs_mult. replace (255 / 2)%R with (255 * (1 / 2))%R by lra. apply Rmult_le_compat; auto using Rabs_pos. }
  assert (xf : (Rabs (x * rd64 w - x * w) <= 255 * / 18014398509481984)%R).
  { rewrite <- Rmult_minus_distr_l, Rabs_mult. apply Rmult_le_compat; auto using Rabs_pos. }
  assert (p_error : (Rabs (rd64 (x * rd64 w) - x * rd64 w) <= / 70368744177664)%R).
  { apply (rd64_error _ 8); [lia |]. simpl. apply Rabs_def2b in xf || idtac. revert xw xf. unfold Rabs. repeat destruct Rcase_abs; lra. }
  assert (s_error : (Rabs (rd64 (q + rd64 (x * rd64 w)) - (q + rd64 (x * rd64 w))) <= / 1099511627776)%R).
  { apply (rd64_error _ 14); [lia |]. simpl. revert near size xw xf p_error. unfold Rabs. repeat destruct Rcase_abs; lra. }
  apply Rabs_le_inv in near, size, xw, xf, p_error, s_error.
  split; apply Rabs_le; lra.
Qed.

Lemma margin : (Rabs (IZR s / IZR P) <= 16 / 33)%R.
Proof.
  pose proof P_positive as positive. rewrite crt_margin_value in capacity.
  unfold Rdiv at 1. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (IZR P)) by lra.
  apply Rmult_le_reg_r with (IZR P); [lra |]. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

(** Rounding the quotient as the code does gives the integer that it is near. *)
Lemma nearest_quotient : forall q n, (Rabs (q - exact count) <= 64 * bpow radix2 (-39))%R -> (Rabs (exact count) <= 8160)%R ->
  sum_below count (fun l => r l * W l) = s + n * P ->
  Ztrunc (if Rlt_bool q 0 then rd64 (q - 1 / 2) else rd64 (q + 1 / 2))%R = n /\ Z.abs n <= 8161.
Proof.
  intros q n near size whole.
  pose proof P_positive as positive. pose proof margin as far. rewrite e39 in near.
  assert (parts : exact count = (IZR n + IZR s / IZR P)%R).
  { unfold exact. rewrite whole, plus_IZR, mult_IZR. field. lra. }
  rewrite parts in *. set (rest := (IZR s / IZR P)%R) in *.
  apply Rabs_le_inv in near, size, far.
  assert (low : (rd64 (q - 1 / 2) <= q - 1 / 2 + / 1099511627776)%R /\ (q - 1 / 2 - / 1099511627776 <= rd64 (q - 1 / 2))%R).
  { assert (error : (Rabs (rd64 (q - 1 / 2) - (q - 1 / 2)) <= / 1099511627776)%R).
    { apply (rd64_error _ 14); [lia |]. simpl. apply Rabs_lt. lra. }
    apply Rabs_le_inv in error. lra. }
  assert (high : (rd64 (q + 1 / 2) <= q + 1 / 2 + / 1099511627776)%R /\ (q + 1 / 2 - / 1099511627776 <= rd64 (q + 1 / 2))%R).
  { assert (error : (Rabs (rd64 (q + 1 / 2) - (q + 1 / 2)) <= / 1099511627776)%R).
    { apply (rd64_error _ 14); [lia |]. simpl. apply Rabs_lt. lra. }
    apply Rabs_le_inv in error. lra. }
  split.
  - destruct (Rlt_bool_spec q 0) as [negative | not_negative].
    + rewrite Ztrunc_ceil by lra. apply Zceil_imp. rewrite minus_IZR. lra.
    + rewrite Ztrunc_floor by lra. apply Zfloor_imp. rewrite plus_IZR. lra.
  - apply le_IZR. rewrite abs_IZR. apply Rabs_le. lra.
Qed.

Lemma reconstructed : crt_reconstruct L count product weight fraction residues stride = wrap (64 * L) s.
Proof.
  destruct right_sum as [n sum]. assert (whole : sum_below count (fun l => r l * W l) = s + n * P) by (change (sum_below count (fun l => residues (l * stride) * W l) = s + n * P); lia).
  unfold crt_reconstruct.
  set (body := fun (l : Z) (_ : Z * R) => _).
  pose proof (for_up_invariant
    (fun l t => 0 <= l <= count -> (2 ^ (64 * L) | fst t - sum_below l (fun l => r l * W l)) /\
      (Rabs (snd t - exact l) <= IZR l * bpow radix2 (-39))%R /\ (Rabs (exact l) <= IZR l * (255 / 2))%R)
    body 0 count (0, IZR 0) ltac:(lia)) as loop_.
  destruct (for_up 0 count body (0, IZR 0)) as [y q].
  destruct loop_ as [wide [near size]]; [ | | lia |].
  - intros _. unfold exact, sum_below. simpl. split; [exists 0; lia |].
    unfold Rdiv. rewrite Rmult_0_l, Rminus_0_r, Rabs_R0, Rmult_0_l. lra.
  - intros l [y_ q_] range before _. destruct (before ltac:(lia)) as [wide_ [near_ size_]]. cbn [fst snd] in wide_, near_, size_.
    unfold body. cbn [fst snd].
    split; [apply wide_term; assumption |]. apply quotient_term; assumption.
  - cbn [fst snd] in wide, near, size.
    assert (count_small : (0 <= IZR count <= 64)%R) by (split; apply IZR_le; lia).
    assert (near64 : (Rabs (q - exact count) <= 64 * bpow radix2 (-39))%R).
    { apply Rle_trans with (1 := near). apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]. }
    assert (size64 : (Rabs (exact count) <= 8160)%R).
    { apply Rle_trans with (1 := size). lra. }
    destruct (nearest_quotient q n near64 size64 whole) as [picked small].
    rewrite picked.
    assert (magnitude : wrap 64 (if n <? 0 then - n else n) = Z.abs n).
    { rewrite wrap_small; destruct (Z.ltb_spec n 0); lia. }
    rewrite magnitude.
    assert (cast : (2 ^ (64 * L) | wide_cast crt_limbs L product - P)).
    { unfold wide_cast. rewrite products, wraps_wrap.
      - apply wrap_divides. lia.
      - unfold crt_limbs. lia.
      - lia. }
    destruct cast as [a cast]. destruct wide as [b wide].
    remember (wide_cast crt_limbs L product) as c eqn:unused. clear unused.
    assert (value : c = P + a * 2 ^ (64 * L)) by lia. subst c. clear cast.
    unfold wide_sub. apply wrap_unique; [lia |].
    unfold wide_mul, wide_negate_if.
    destruct (wrap_divides (64 * L) ((P + a * 2 ^ (64 * L)) * Z.abs n) ltac:(lia)) as [c multiple].
    destruct (Z.ltb_spec n 0) as [negative | positive].
    + destruct (wrap_divides (64 * L) (- wrap (64 * L) ((P + a * 2 ^ (64 * L)) * Z.abs n)) ltac:(lia)) as [d negated].
      exists (b - d + c - a * n). rewrite Z.abs_neq in * by lia. lia.
    + exists (b - c - a * n). rewrite Z.abs_eq in * by lia. lia.
Qed.

End Reconstruction.
