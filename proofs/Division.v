(** Long division by limbs, and inverses modulo small numbers. *)
From Coq Require Import ZArith Reals Lia Bool List Znumtheory.
From Proofs Require Import Semantics Facts ModuliSource.
Open Scope Z_scope.

Lemma lor_add : forall x y, 0 <= y < 2 ^ 32 -> Z.lor (Z.shiftl x 32) y = x * 2 ^ 32 + y.
Proof.
  intros x y range.
  assert (apart : Z.land (Z.shiftl x 32) y = 0).
  { rewrite <- (Z.mod_small y (2 ^ 32)) by lia. rewrite <- Z.land_ones by lia.
    rewrite (Z.land_comm y), Z.land_assoc, Z.land_ones by lia.
    rewrite Z.shiftl_mul_pow2 by lia. rewrite Z_mod_mult. reflexivity. }
  rewrite <- Z.lxor_lor by exact apart. rewrite <- Z.add_nocarry_lxor by exact apart.
  rewrite Z.shiftl_mul_pow2 by lia. reflexivity.
Qed.

Lemma land_mod : forall x, Z.land x 4294967295 = x mod 2 ^ 32.
Proof. intros x. change 4294967295 with (Z.ones 32). apply Z.land_ones. lia. Qed.

(** A loop that counts down to 0. *)
Lemma loop_down : forall {A} (index : A -> Z) (P : A -> Prop) test step fuel s,
  (forall t, test t = (index t >=? 0)) -> (forall t, P t -> 0 <= index t -> P (step t) /\ index (step t) = index t - 1) ->
  P s -> -1 <= index s -> index s + 1 < Z.of_nat fuel -> P (loop fuel test step s) /\ index (loop fuel test step s) = -1.
Proof.
  intros A index P test step fuel; induction fuel as [|fuel IH]; intros s tests steps start least enough; [lia |].
  cbn [loop]. rewrite tests. destruct (Z.geb_spec (index s) 0) as [more | done].
  - destruct (steps s start ltac:(lia)) as [kept next]. apply IH; auto; lia.
  - split; [exact start | lia].
Qed.

Lemma limb_range : forall a i, 0 <= limb a i < 2 ^ 64.
Proof. intros a i. unfold limb. apply wrap_range. lia. Qed.

(** Long division of a limb's halves. *)
Lemma limb_step : forall a p i rest, 0 <= a -> 0 < p < 2 ^ 32 -> 0 <= i -> 0 <= rest < p ->
  let high := Z.lor (wrap 64 (Z.shiftl rest 32)) (Z.shiftr (limb a i) 32) in
  let r := Z.rem high p in
  let low := Z.lor (wrap 64 (Z.shiftl r 32)) (Z.land (limb a i) 4294967295) in
  let q := Z.lor (wrap 64 (Z.shiftl (Z.quot high p) 32)) (Z.quot low p) in
  0 <= Z.rem low p < p /\ 0 <= q /\ q * p + Z.rem low p = rest * 2 ^ 64 + limb a i.
Proof.
  intros a p i rest positive small index range high r low q.
  pose proof (limb_range a i) as limb_.
  assert (top : 0 <= limb a i / 2 ^ 32 < 2 ^ 32).
  { split; [apply Z.div_pos; lia |]. apply Z.div_lt_upper_bound; lia. }
  assert (bottom : 0 <= limb a i mod 2 ^ 32 < 2 ^ 32) by (apply Z.mod_pos_bound; lia).
  pose proof (Z_div_mod_eq_full (limb a i) (2 ^ 32)) as halves.
  assert (high_ : high = rest * 2 ^ 32 + limb a i / 2 ^ 32).
  { unfold high. rewrite wrap_small by (rewrite Z.shiftl_mul_pow2 by lia; nia).
    rewrite Z.shiftr_div_pow2 by lia. apply lor_add. exact top. }
  assert (high_range : 0 <= high < p * 2 ^ 32) by nia.
  assert (r_ : r = high mod p) by (apply Z.rem_mod_nonneg; lia).
  assert (r_range : 0 <= r < p) by (rewrite r_; apply Z.mod_pos_bound; lia).
  assert (quotient : Z.quot high p = high / p) by (apply Z.quot_div_nonneg; lia).
  assert (quotient_range : 0 <= high / p < 2 ^ 32).
  { split; [apply Z.div_pos; lia |]. apply Z.div_lt_upper_bound; lia. }
  assert (low_ : low = r * 2 ^ 32 + limb a i mod 2 ^ 32).
  { unfold low. rewrite wrap_small by (rewrite Z.shiftl_mul_pow2 by lia; nia). rewrite land_mod. apply lor_add. exact bottom. }
  assert (low_range : 0 <= low < p * 2 ^ 32) by nia.
  assert (rest_ : Z.rem low p = low mod p) by (apply Z.rem_mod_nonneg; lia).
  assert (low_quotient : Z.quot low p = low / p) by (apply Z.quot_div_nonneg; lia).
  assert (low_quotient_range : 0 <= low / p < 2 ^ 32).
  { split; [apply Z.div_pos; lia |]. apply Z.div_lt_upper_bound; lia. }
  assert (q_ : q = high / p * 2 ^ 32 + low / p).
  { unfold q. rewrite quotient, low_quotient. rewrite wrap_small by (rewrite Z.shiftl_mul_pow2 by lia; nia). apply lor_add. exact low_quotient_range. }
  pose proof (Z_div_mod_eq_full high p) as first. pose proof (Z_div_mod_eq_full low p) as second.
  rewrite rest_, q_. split; [apply Z.mod_pos_bound; lia |]. split; [lia |].
  rewrite <- r_ in first. nia.
Qed.

Lemma limb_split : forall a i, 0 <= i -> a mod 2 ^ (64 * (i + 1)) = limb a i * 2 ^ (64 * i) + a mod 2 ^ (64 * i).
Proof.
  intros a i index. unfold limb, wrap. rewrite Z.shiftr_div_pow2 by lia.
  replace (64 * (i + 1)) with (64 * i + 64) by lia. rewrite Z.pow_add_r by lia.
  rewrite Z.rem_mul_r by lia. lia.
Qed.

Lemma wide_of_update : forall n q i v, 0 <= i -> wide_of_n n (update q i v) = wide_of_n n q + (if i <? Z.of_nat n then (v - q i) * 2 ^ (64 * i) else 0).
Proof.
  induction n as [|n IH]; intros q i v pos.
  - cbn [wide_of_n]. destruct (Z.ltb_spec i (Z.of_nat 0)); lia.
  - cbn [wide_of_n]. rewrite IH by exact pos. unfold update at 1.
    destruct (Z.eqb_spec (Z.of_nat n) i) as [same | other].
    + subst i. destruct (Z.ltb_spec (Z.of_nat n) (Z.of_nat n)); [lia |].
      destruct (Z.ltb_spec (Z.of_nat n) (Z.of_nat (S n))); lia.
    + destruct (Z.ltb_spec i (Z.of_nat n)); destruct (Z.ltb_spec i (Z.of_nat (S n))); lia.
Qed.

Lemma residue_of_right : forall a p, 0 <= a < 2 ^ (64 * crt_limbs) -> 0 < p <= 256 -> residue_of a p = a mod p.
Proof.
  intros a p range small. unfold residue_of. cbv zeta.
  set (test := fun t : Z * Z => _). set (step := fun t : Z * Z => _).
  pose proof (loop_down fst (fun t => -1 <= fst t /\ 0 <= snd t < p /\
    exists q, a = p * q + snd t * 2 ^ (64 * (fst t + 1)) + a mod 2 ^ (64 * (fst t + 1))) test step 1000 (crt_limbs - 1, wrap 64 0)) as down.
  destruct (loop 1000 test step (crt_limbs - 1, wrap 64 0)) as [i rest].
  destruct down as [[_ [rest_range [q equal]]] last].
  - intros [i_ rest_]. reflexivity.
  - intros [i_ rest_] [least [rest_range [q equal]]] more. cbn [fst snd] in *. unfold step. cbn [fst snd].
    rewrite (wrap_small 64 p) by lia.
    pose proof (limb_step a p i_ rest_ ltac:(lia) ltac:(lia) more rest_range) as next. cbv zeta in next.
    destruct next as [rest_next [_ divided]].
    split; [| lia]. split; [lia |]. split; [exact rest_next |].
    set (digit := Z.lor (wrap 64 (Z.shiftl (Z.quot _ p) 32)) _) in divided.
    exists (q + digit * 2 ^ (64 * i_)). replace (i_ - 1 + 1) with i_ by lia.
    rewrite (limb_split a i_ more) in equal. replace (64 * (i_ + 1)) with (64 * i_ + 64) in equal by lia.
    rewrite Z.pow_add_r in equal by lia. apply (f_equal (Z.mul (2 ^ (64 * i_)))) in divided. lia.
  - cbn [fst snd]. unfold crt_limbs. rewrite wrap_small by lia. split; [lia |]. split; [lia |]. exists 0.
    unfold crt_limbs in range. rewrite Z.mod_small; lia.
  - cbn [fst]. unfold crt_limbs. lia.
  - cbn [fst]. unfold crt_limbs. lia.
  - cbn [fst snd] in *. subst i. change (64 * (-1 + 1)) with 0 in equal. rewrite Z.pow_0_r, Z.mod_1_r in equal.
    assert (wraps 32 rest = rest) as plain by (apply wraps_small; lia).
    rewrite plain. apply Z.mod_unique_pos with (q := q); lia.
Qed.

Lemma divide_exactly_right : forall a p, 0 <= a < 2 ^ (64 * crt_limbs) -> 0 < p <= 256 -> divide_exactly a p = a / p.
Proof.
  intros a p range small. unfold divide_exactly. cbv zeta. rewrite (wrap_small 64 p) by lia.
  set (test := fun t : Z * Z * (Z -> Z) => _). set (step := fun t : Z * Z * (Z -> Z) => _).
  pose proof (loop_down (fun t => fst (fst t)) (fun t => -1 <= fst (fst t) < crt_limbs /\ 0 <= snd (fst t) < p /\ (forall j, j <= fst (fst t) -> snd t j = 0) /\
    a = p * wide_of crt_limbs (snd t) + snd (fst t) * 2 ^ (64 * (fst (fst t) + 1)) + a mod 2 ^ (64 * (fst (fst t) + 1)))
    test step 1000 (crt_limbs - 1, wrap 64 0, fun _ => 0)) as down.
  destruct (loop 1000 test step (crt_limbs - 1, wrap 64 0, fun _ => 0)) as [[i rest] q].
  destruct down as [[_ [rest_range [_ equal]]] last].
  - intros [[i_ rest_] q_]. reflexivity.
  - intros [[i_ rest_] q_] [least [rest_range [zeros equal]]] more. cbn [fst snd] in *. unfold step. cbn [fst snd].
    pose proof (limb_step a p i_ rest_ ltac:(lia) ltac:(lia) more rest_range) as next. cbv zeta in next.
    destruct next as [rest_next [_ divided]].
    split; [| lia]. split; [lia |]. split; [exact rest_next |].
    set (digit := Z.lor (wrap 64 (Z.shiftl (Z.quot _ p) 32)) _) in *.
    split.
    + intros j order. unfold update. destruct (Z.eqb_spec j i_); [lia |]. apply zeros. lia.
    + replace (i_ - 1 + 1) with i_ by lia. unfold wide_of in *. rewrite wide_of_update by exact more.
      unfold crt_limbs in *. destruct (Z.ltb_spec i_ (Z.of_nat (Z.to_nat 6))) as [_ | out]; [| lia].
      rewrite (zeros i_) by lia.
      rewrite (limb_split a i_ more) in equal. replace (64 * (i_ + 1)) with (64 * i_ + 64) in equal by lia.
      rewrite Z.pow_add_r in equal by lia. apply (f_equal (Z.mul (2 ^ (64 * i_)))) in divided. lia.
  - cbn [fst snd]. unfold crt_limbs. rewrite wrap_small by lia. split; [lia |]. split; [lia |]. split; [reflexivity |].
    unfold crt_limbs in range. change (wide_of 6 (fun _ => 0)) with 0. rewrite Z.mod_small; lia.
  - cbn [fst]. unfold crt_limbs. lia.
  - cbn [fst]. unfold crt_limbs. lia.
  - cbn [fst snd] in *. subst i. change (64 * (-1 + 1)) with 0 in equal. rewrite Z.pow_0_r, Z.mod_1_r in equal.
    apply Z.div_unique_pos with (r := rest); lia.
Qed.

(** The search for an inverse finds one if there is one. *)
Lemma inverse_residue_right : forall a p, 0 <= a < p -> 1 < p <= 256 -> Z.gcd a p = 1 ->
  exists x, 1 <= x <= p /\ inverse_residue a p = balanced_residue x p /\ a * x mod p = 1.
Proof.
  intros a p range small coprime. unfold inverse_residue. cbv zeta.
  rewrite (wraps_small 64 a) by lia.
  assert (one : Z.rem 1 p = 1) by (apply Z.rem_small; lia). rewrite one.
  destruct (Z.gcd_bezout a p 1) as [u [v bezout]]; [exact coprime |].
  set (y := u mod p).
  assert (y_range : 0 <= y < p) by (apply Z.mod_pos_bound; lia).
  assert (y_right : a * y mod p = 1).
  { unfold y. rewrite Z.mul_mod_idemp_r by lia. replace (a * u) with (1 + (- v) * p) by lia. rewrite Z_mod_plus_full. apply Z.mod_small. lia. }
  assert (y_positive : 1 <= y).
  { assert (y <> 0); [| lia]. intros zero. rewrite zero, Z.mul_0_r, Z.mod_0_l in y_right by lia. lia. }
  set (test := fun t : option Z * Z => _). set (step := fun t : option Z * Z => _).
  assert (search : forall fuel x, 1 <= x <= y -> y - x + 2 <= Z.of_nat fuel ->
    exists x_, 1 <= x_ <= p /\ fst (loop fuel test step (None, x)) = Some (balanced_residue x_ p) /\ a * x_ mod p = 1).
  { induction fuel as [|fuel IH]; intros x x_range enough; [lia |].
    cbn [loop]. unfold test at 1. destruct (Z.leb_spec x p); [| lia].
    unfold step at 2. rewrite Z.rem_mod_nonneg by nia.
    destruct (Z.eqb_spec (a * x mod p) 1) as [found | not].
    - exists x. split; [lia |]. split; [| exact found]. destruct fuel; reflexivity.
    - apply IH; [| lia]. assert (x <> y); [| lia]. intros same. subst x. contradiction. }
  destruct (search 1000%nat 1 ltac:(lia) ltac:(lia)) as [x [x_range [found right]]].
  exists x. split; [exact x_range |]. split; [| exact right].
  destruct (loop 1000 test step (None, 1)) as [returned x_]. cbn [fst] in found. subst returned. reflexivity.
Qed.
