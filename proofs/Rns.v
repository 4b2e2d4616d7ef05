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

Definition modulus_fits (m r32 r64 barrett : Z) : Prop :=
  2 ^ 31 - 2 ^ 14 < m < 2 ^ 31 /\ r32 = 2 ^ 32 mod m /\ r64 = 2 ^ 64 mod m /\ barrett = (2 ^ 64 - 1) / m.

(** Reductions of every 64-bit and every 96-bit number are exact. *)
Theorem rns_reductions : forall m r32 r64 barrett, modulus_fits m r32 r64 barrett ->
  (forall v, 0 <= v < 2 ^ 64 -> rns_reduce v m barrett = v mod m) /\
  (forall c0 c1 c2, 0 <= c0 < 2 ^ 32 -> 0 <= c1 < 2 ^ 32 -> 0 <= c2 < 2 ^ 32 ->
    rns_reduce96 c0 c1 c2 m r32 r64 barrett = (c0 + c1 * 2 ^ 32 + c2 * 2 ^ 64) mod m).
Proof.
  intros m r32 r64 barrett [range [is32 [is64 is]]]. split.
  - intros v vrange. apply rns_reduce_right; [lia | exact is | exact vrange].
  - intros c0 c1 c2 r0 r1 r2. unfold rns_reduce96, reduce.
    assert (small32 : 0 <= r32 < 2 ^ 15).
    { rewrite is32. replace (2 ^ 32) with (2 ^ 32 - 2 * m + 2 * m) by lia. rewrite Z_mod_plus_full. rewrite Z.mod_small; lia. }
    assert (small64 : 0 <= r64 < 2 ^ 31).
    { rewrite is64. pose proof (Z.mod_pos_bound (2 ^ 64) m ltac:(lia)). lia. }
    assert (0 <= c1 * r32 < 2 ^ 47) by nia. assert (0 <= c2 * r64 < 2 ^ 63) by nia.
    rewrite (wrap_small 64 (c1 * r32)) by lia. rewrite (wrap_small 64 (c2 * r64)) by lia.
    rewrite (wrap_small 64 (c1 * r32 + c2 * r64)) by lia. rewrite (wrap_small 64) by lia.
    rewrite rns_reduce_right by (try exact is; lia).
    pose proof (Z_div_mod_eq_full (2 ^ 32) m) as first. rewrite <- is32 in first.
    pose proof (Z_div_mod_eq_full (2 ^ 64) m) as second. rewrite <- is64 in second.
    set (p := 2 ^ 32 / m) in *. set (q := 2 ^ 64 / m) in *.
    replace (c0 + c1 * 2 ^ 32 + c2 * 2 ^ 64) with (c1 * r32 + c2 * r64 + c0 + (c1 * p + c2 * q) * m).
    + symmetry. apply Z_mod_plus_full.
    + rewrite first, second. ring.
Qed.

(** Sums, negatives, and products by any number and by a constant factor are exact. *)
Theorem rns_operations : forall m r32 r64 barrett, modulus_fits m r32 r64 barrett -> forall a b, 0 <= a < m -> 0 <= b < m ->
  rns_add a b m = (a + b) mod m /\ rns_negate a m = (- a) mod m /\ rns_mul a b m barrett = a * b mod m /\
  (forall x, 0 <= x < 2 ^ 32 -> rns_mul_factor x b (b * 2 ^ 32 / m) m = x * b mod m).
Proof.
  intros m r32 r64 barrett [range [_ [_ is]]] a b ra rb. split; [| split; [| split]].
  - unfold rns_add. cbv zeta. rewrite (wrap_small 32 (a + b)) by lia. destruct (Z.geb_spec (a + b) m).
    + rewrite wrap_small by lia. apply Z.mod_unique_pos with (q := 1); lia.
    + symmetry. apply Z.mod_small. lia.
  - unfold rns_negate. rewrite (wrap_small 32 0) by lia. destruct (Z.eqb_spec a 0) as [zero | other].
    + subst a. reflexivity.
    + rewrite wrap_small by lia. apply Z.mod_unique_pos with (q := -1); lia.
  - unfold rns_mul, reduce. rewrite wrap_small by nia. apply rns_reduce_right; [lia | exact is | nia].
  - intros x rx. unfold rns_mul_factor. cbv zeta.
    pose proof (Z_div_mod_eq_full (b * 2 ^ 32) m) as first. pose proof (Z.mod_pos_bound (b * 2 ^ 32) m ltac:(lia)) as first_rest.
    set (w := b * 2 ^ 32 / m) in *.
    assert (w_range : 0 <= w < 2 ^ 32).
    { unfold w. split; [apply Z.div_pos; lia |]. apply Z.div_lt_upper_bound; lia. }
    assert (0 <= x * w < 2 ^ 64) by nia.
    rewrite (wrap_small 64 (x * w)) by lia. rewrite Z.shiftr_div_pow2 by lia.
    pose proof (Z_div_mod_eq_full (x * w) (2 ^ 32)) as second. pose proof (Z.mod_pos_bound (x * w) (2 ^ 32) ltac:(lia)) as second_rest.
    set (q := x * w / 2 ^ 32) in *.
    assert (q_range : 0 <= q < 2 ^ 32).
    { unfold q. split; [apply Z.div_pos; lia |]. apply Z.div_lt_upper_bound; lia. }
    rewrite (wrap_small 32 q) by lia.
    set (y := (b * 2 ^ 32) mod m) in *. set (z := (x * w) mod 2 ^ 32) in *.
    assert (identity : 2 ^ 32 * (x * b - q * m) = x * y + z * m) by nia.
    assert (between : 0 <= x * b - q * m < 2 * m) by (split; nia).
    assert (rest : wrap 32 (wrap 32 (x * b) - wrap 32 (q * m)) = x * b - q * m).
    { rewrite <- (wrap_small 32 (x * b - q * m)) by lia. apply wrap_unique; [lia |].
      destruct (wrap_divides 32 (x * b) ltac:(lia)) as [c ec]. destruct (wrap_divides 32 (q * m) ltac:(lia)) as [d ed]. exists (c - d). lia. }
    rewrite rest. destruct (Z.geb_spec (x * b - q * m) m).
    + rewrite wrap_small by lia. apply Z.mod_unique_pos with (q := q + 1); lia.
    + apply Z.mod_unique_pos with (q := q); lia.
Qed.
