(** Arithmetic modulo the primes of multiple-precision arrays. *)
From Coq Require Import ZArith Lia Bool List Znumtheory.
From Proofs Require Import Semantics Facts RnsSource.
Open Scope Z_scope.

Lemma reduce_range : forall m barrett v, 0 < m < 2 ^ 31 -> barrett = (2 ^ 64 - 1) / m -> 0 <= v < 2 ^ 64 ->
  let q := v * barrett / 2 ^ 64 in 0 <= v - q * m < 2 * m.
Proof.
  intros m barrett v small is range q.
  pose proof (Z_div_mod_eq_full (2 ^ 64 - 1) m) as divided. rewrite <- is in divided.
  pose proof (Z.mod_pos_bound (2 ^ 64 - 1) m ltac:(lia)) as rest.
  pose proof (Z_div_mod_eq_full (v * barrett) (2 ^ 64)) as high. fold q in high.
  pose proof (Z.mod_pos_bound (v * barrett) (2 ^ 64) ltac:(lia)) as low.
  set (b := barrett) in *. set (x := (2 ^ 64 - 1) mod m) in *. set (y := v * b mod 2 ^ 64) in *.
  (* 2^64 (v - q m) = v (2^64 - b m) + y m, with 1 <= 2^64 - b m = 1 + x <= m *)
  assert (identity : 2 ^ 64 * (v - q * m) = v * (1 + x) + y * m) by nia.
  split; nia.
Qed.

Lemma rns_reduce_right : forall v m barrett, 0 < m < 2 ^ 31 -> barrett = (2 ^ 64 - 1) / m -> 0 <= v < 2 ^ 64 ->
  rns_reduce v m barrett = v mod m.
Proof.
  intros v m barrett small is range.
  pose proof (reduce_range m barrett v small is range) as between. cbv zeta in between.
  assert (0 <= barrett < 2 ^ 64).
  { rewrite is. split; [apply Z.div_pos; lia |]. apply Z.div_lt_upper_bound; nia. }
  unfold rns_reduce, mul_high.
  set (q := v * barrett / 2 ^ 64) in *.
  assert (0 <= v * barrett < 2 ^ 128) by (change (2 ^ 128) with (2 ^ 64 * 2 ^ 64); nia).
  assert (quotient : wrap 64 (Z.shiftr (wrap 128 (v * barrett)) 64) = q).
  { rewrite (wrap_small 128) by lia. rewrite Z.shiftr_div_pow2 by lia. apply wrap_small. unfold q. split.
    - apply Z.div_pos; lia.
    - apply Z.div_lt_upper_bound; [lia |]. change (2 ^ 64 * 2 ^ 64) with (2 ^ 128). lia. }
  rewrite quotient.
  assert (rest : wrap 32 (wrap 64 (v - wrap 64 (q * m))) = v - q * m).
  { assert (0 <= q) by (unfold q; apply Z.div_pos; lia). assert (q * m <= v) by lia.
    rewrite (wrap_small 64 (q * m)) by nia. rewrite (wrap_small 64) by lia. apply wrap_small. lia. }
  rewrite rest.
  destruct (Z.geb_spec (v - q * m) m) as [above | less].
  - rewrite wrap_small by lia. apply Z.mod_unique_pos with (q := q + 1); lia.
  - apply Z.mod_unique_pos with (q := q); lia.
Qed.
