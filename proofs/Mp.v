(** The quotient of the Chinese remainder theorem of multiple-precision arrays. *)
From Coq Require Import ZArith Reals Lia Lra Bool.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts PrimesSource ModuliSource CrtSource.
Open Scope Z_scope.

(** M = m_0 ... m_(count - 1), digits d_k of s: s = sum d_k M / m_k - n M. The code finds n, for every s with abs(s) < M / 2 (1 - 2^-17). *)
Theorem mp_quotient : forall mul residue inverse moduli reciprocal digit count stride digit_stride e M s n cofactor, 0 <= count <= rns_max_moduli ->
  let d k := mul (residue (k * stride + e)) (inverse k) (moduli k) in
  (forall k, 0 <= k < count -> 2 ^ 30 < moduli k < 2 ^ 31 /\ 0 <= d k < moduli k /\ cofactor k * moduli k = M /\ reciprocal k = rd64 (1 / IZR (moduli k))) ->
  0 < M -> (Rabs (IZR s) < IZR M / 2 * (1 - / 131072))%R -> sum_below count (fun k => d k * cofactor k) = s + n * M ->
  mp_store (mp_fractions mul residue inverse moduli reciprocal count stride e) digit count digit_stride e (count * digit_stride + e) = n.
Proof.
  intros mul residue inverse moduli reciprocal digit count stride digit_stride e M s n cofactor counts d each positive capacity whole. unfold rns_max_moduli in counts.
  assert (M_positive : (0 < IZR M)%R) by (apply IZR_lt; exact positive).
  set (exact := fun k => (IZR (sum_below k (fun k => (d k * cofactor k)%Z)) / IZR M)%R).
  assert (sum : (Rabs (mp_fractions mul residue inverse moduli reciprocal count stride e - exact count) <= IZR count * / 8796093022208)%R /\ (0 <= exact count <= IZR count)%R).
  { unfold mp_fractions. cbv zeta.
    apply (for_up_invariant (fun k q => k <= count -> (Rabs (q - exact k) <= IZR k * / 8796093022208)%R /\ (0 <= exact k <= IZR k)%R) _ 0 count); [lia | | | lia].
    - intros _. unfold exact, sum_below. simpl. unfold Rdiv. rewrite !Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
    - intros k q krange before _. destruct (before ltac:(lia)) as [near size]. destruct (each k krange) as [m_range [d_range [split_ value]]].
      fold (d k). rewrite value.
      assert (next : exact (k + 1) = (exact k + IZR (d k) * (1 / IZR (moduli k)))%R).
      { unfold exact. rewrite sum_below_next by lia. rewrite plus_IZR, mult_IZR. apply (f_equal IZR) in split_. rewrite mult_IZR in split_.
        assert (0 < IZR (moduli k))%R by (apply IZR_lt; lia). rewrite <- split_ at 2.
        assert (IZR (cofactor k) <> 0)%R by (intros zero; rewrite zero in split_; lra).
        replace (IZR (cofactor k) * IZR (moduli k))%R with (IZR M) by lra.
        replace (IZR (d k) * (1 / IZR (moduli k)))%R with (IZR (d k) * IZR (cofactor k) / IZR M)%R by (rewrite <- split_; field; split; lra). field. lra. }
      rewrite next. rewrite plus_IZR. rewrite rd64_integer by lia.
      assert (m_real : (1073741824 < IZR (moduli k) < 2147483648)%R) by (split; apply IZR_lt; lia).
      assert (d_real : (0 <= IZR (d k) < IZR (moduli k))%R) by (split; [apply IZR_le | apply IZR_lt]; lia).
      assert (k_real : (0 <= IZR k <= 543)%R) by (split; apply IZR_le; lia).
      set (x := IZR (d k)) in *. set (m := IZR (moduli k)) in *. set (w := (1 / m)%R).
      assert (xw : (0 <= x * w < 1)%R).
      { unfold w. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rdiv_lt_0_compat; lra] |].
        apply Rmult_lt_reg_r with m; [lra |]. replace (x * (1 / m) * m)%R with x by (field; lra). lra. }
      assert (w_small : (0 < w < / 1073741824)%R).
      { unfold w. unfold Rdiv. rewrite Rmult_1_l. split; [apply Rinv_0_lt_compat; lra | apply Rinv_lt_contravar; nra]. }
      assert (w_error : (Rabs (rd64 w - w) <= / 19342813113834066795298816)%R).
      { apply (rd64_error w (-30)); [lia |]. simpl. rewrite Rabs_pos_eq by lra. lra. }
      assert (product_error : (Rabs (x * rd64 w - x * w) <= 2147483648 * / 19342813113834066795298816)%R).
      { rewrite <- Rmult_minus_distr_l, Rabs_mult. apply Rmult_le_compat; [apply Rabs_pos | apply Rabs_pos | rewrite Rabs_pos_eq; lra | exact w_error]. }
      apply Rabs_le_inv in product_error, near.
      assert (rounded : (Rabs (rd64 (x * rd64 w) - x * rd64 w) <= / 9007199254740992)%R).
      { apply (rd64_error _ 1); [lia |]. simpl. apply Rabs_lt. lra. }
      apply Rabs_le_inv in rounded.
      assert (added : (Rabs (rd64 (q + rd64 (x * rd64 w)) - (q + rd64 (x * rd64 w))) <= / 17592186044416)%R).
      { apply (rd64_error _ 10); [lia |]. simpl. apply Rabs_lt. lra. }
      apply Rabs_le_inv in added. split; [apply Rabs_le |]; lra. }
  destruct sum as [near size]. set (q := mp_fractions _ _ _ _ _ _ _ _) in *. clearbody q.
  assert (parts : exact count = (IZR n + IZR s / IZR M)%R).
  { unfold exact. rewrite whole, plus_IZR, mult_IZR. field. lra. }
  assert (far : (Rabs (IZR s / IZR M) < 1 / 2 * (1 - / 131072))%R).
  { unfold Rdiv at 1. rewrite Rabs_mult, Rabs_inv, (Rabs_pos_eq (IZR M)) by lra. apply Rmult_lt_reg_r with (IZR M); [lra |]. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (count_real : (0 <= IZR count <= 544)%R) by (split; apply IZR_le; lia).
  rewrite parts in *. set (rest := (IZR s / IZR M)%R) in *.
  apply Rabs_le_inv in near. apply Rabs_lt_inv in far.
  assert (half : (Rabs (rd64 (q + 1 / 2) - (q + 1 / 2)) <= / 17592186044416)%R).
  { apply (rd64_error _ 10); [lia |]. simpl. apply Rabs_lt. lra. }
  apply Rabs_le_inv in half.
  unfold mp_store. cbv zeta. unfold update. rewrite Z.eqb_refl.
  assert (picked : Ztrunc (rd64 (q + 1 / 2)) = n).
  { rewrite Ztrunc_floor by lra. apply Zfloor_imp. rewrite plus_IZR. lra. }
  rewrite picked. apply wrap_small.
  assert (-1 < n < 2 ^ 32); [| lia]. split; apply lt_IZR; [| apply Rlt_trans with 546%R; [| apply IZR_lt; lia]]; lra.
Qed.
