(** The moduli of multiple-precision arrays are primes, and as many as the code takes are enough. *)
From Coq Require Import ZArith Reals Lia Lra Bool List Znumtheory FMapPositive.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts PrimesSource.
Open Scope Z_scope.

(** What rns_mul does by the theorem rns_operations, and a quick way to compute it for m near 2^31. *)
Definition mul_mod (a b m : Z) : Z := a * b mod m.
Definition quick_mul (a b m : Z) : Z :=
  if (0 <=? a) && (a <? 2147483648) && (0 <=? b) && (b <? 2147483648) && (2147467264 <? m) && (m <? 2147483648) then
    let c := 2147483648 - m in let x := a * b in
    let y := Z.shiftr x 31 * c + Z.land x 2147483647 in let z := Z.shiftr y 31 * c + Z.land y 2147483647 in
    if m <=? z then z - m else z
  else mul_mod a b m.

Lemma quick_mul_right : forall a b m, quick_mul a b m = mul_mod a b m.
Proof.
  intros a b m. unfold quick_mul, mul_mod. destruct (_ && _) eqn:range; [| reflexivity].
  assert (0 <= a < 2 ^ 31 /\ 0 <= b < 2 ^ 31 /\ 2 ^ 31 - 2 ^ 14 < m < 2 ^ 31) as [ra [rb rm]].
  { repeat match goal with all : _ && _ = true |- _ => apply andb_prop in all; destruct all end. lia. }
  clear range. cbv zeta. change 2147483647 with (Z.ones 31). change 2147483648 with (2 ^ 31).
  rewrite !Z.land_ones, !Z.shiftr_div_pow2 by lia.
  set (c := 2 ^ 31 - m) in *. set (x := a * b) in *.
  assert (0 <= x < 2 ^ 62) by (unfold x; change (2 ^ 62) with (2 ^ 31 * 2 ^ 31); nia).
  pose proof (Z_div_mod_eq_full x (2 ^ 31)) as first. pose proof (Z.mod_pos_bound x (2 ^ 31) ltac:(lia)) as first_rest.
  set (h := x / 2 ^ 31) in *. set (l := x mod 2 ^ 31) in *.
  assert (0 <= h < 2 ^ 31) by lia.
  set (y := h * c + l) in *.
  pose proof (Z_div_mod_eq_full y (2 ^ 31)) as second. pose proof (Z.mod_pos_bound y (2 ^ 31) ltac:(lia)) as second_rest.
  set (h' := y / 2 ^ 31) in *. set (l' := y mod 2 ^ 31) in *.
  assert (0 <= c < 2 ^ 14) by lia. assert (0 <= y < 2 ^ 46) by (unfold y; nia).
  assert (0 <= h' < 2 ^ 15) by lia. assert (0 <= h' * c < 2 ^ 29) by nia.
  assert (whole : x = h' * c + l' + (h + h') * m).
  { replace (h' * c + l' + (h + h') * m) with (h' * 2 ^ 31 + l' + h * m) by (unfold c; ring).
    replace (h' * 2 ^ 31 + l') with y by lia. unfold y, c. lia. }
  destruct (Z.leb_spec m (h' * c + l')).
  - apply Z.mod_unique_pos with (q := h + h' + 1); lia.
  - apply Z.mod_unique_pos with (q := h + h'); lia.
Qed.

Lemma loop_same : forall {A} fuel test (step other : A -> A) s, (forall t, step t = other t) -> loop fuel test step s = loop fuel test other s.
Proof. intros A fuel test step other. induction fuel as [|fuel IH]; intros s same; [reflexivity |]. cbn [loop]. rewrite same. destruct (test s); [apply IH; exact same | reflexivity]. Qed.

Lemma for_n_same : forall {A} n i (body other : Z -> A -> A) s, (forall j t, body j t = other j t) -> for_n n i body s = for_n n i other s.
Proof. intros A n. induction n as [|n IH]; intros i body other s same; [reflexivity |]. cbn [for_n]. rewrite same. apply IH. exact same. Qed.

Lemma probable_prime_same : forall m base, probable_prime mul_mod m base = probable_prime quick_mul m base.
Proof.
  assert (power : forall base exponent m, rns_power mul_mod base exponent m = rns_power quick_mul base exponent m).
  { intros base exponent m. unfold rns_power. cbv zeta.
    rewrite (loop_same 64 _ _ (fun '(result, base, exponent) => (if negb (Z.land exponent (wrap 64 1) =? 0) then quick_mul result base m else result, quick_mul base base m, Z.shiftr exponent 1))); [reflexivity |].
    intros [[r b] e]. rewrite !quick_mul_right. reflexivity. }
  intros m base. unfold probable_prime. cbv zeta. rewrite power. destruct (_ || _)%bool; [reflexivity |].
  unfold for_up. erewrite for_n_same; [reflexivity |].
  intros j [[found |] x]; [reflexivity |]. cbv beta iota zeta. rewrite quick_mul_right. reflexivity.
Qed.

(** is_prime stops at the first test that fails. *)
Lemma is_prime_quick : forall m, is_prime mul_mod m = if negb (Z.gcd m 111546435 =? 1) then false else
  if probable_prime quick_mul m 2 then if probable_prime quick_mul m 7 then probable_prime quick_mul m 61 else false else false.
Proof.
  intros m. rewrite <- !probable_prime_same. unfold is_prime. match goal with |- context [Z.gcd m ?n] => change n with 111546435 end. change (wrap 32 1) with 1.
  destruct (negb (Z.gcd m 111546435 =? 1)); [reflexivity |]. destruct (probable_prime mul_mod m 2); [| reflexivity]. destruct (probable_prime mul_mod m 7); reflexivity.
Qed.

Lemma loop_test : forall {A} fuel (test other : A -> bool) step s, (forall t, test t = other t) -> loop fuel test step s = loop fuel other step s.
Proof. intros A fuel test other step. induction fuel as [|fuel IH]; intros s same; [reflexivity |]. cbn [loop]. rewrite same. destruct (other s); [apply IH; exact same | reflexivity]. Qed.

(** The first n moduli behind the modulus `last`, as the code finds them: a modulus is the first number below the one before that the test accepts. *)
Fixpoint moduli_behind (find : (Z -> Z) -> Z -> Z) (n : nat) (count last : Z) : list Z :=
  match n with O => nil | S m => let next := find (fun _ => last) count in next :: moduli_behind find m (count + 1) next end.
Definition rns_moduli : list Z := moduli_behind (next_modulus mul_mod) (Z.to_nat rns_max_moduli) 0 0.
Definition rns_modulus (k : Z) : Z := nth (Z.to_nat k) rns_moduli 0.

Definition quick_prime (m : Z) : bool :=
  if negb (Z.gcd m 111546435 =? 1) then false else if probable_prime quick_mul m 2 then if probable_prime quick_mul m 7 then probable_prime quick_mul m 61 else false else false.
Definition quick_next (modulus : Z -> Z) (count : Z) : Z :=
  loop 1000 (fun candidate => negb (quick_prime candidate)) (fun candidate => wrap 32 (candidate - 2)) (if count =? 0 then 2147483647 else wrap 32 (modulus (count - 1) - 2)).
Lemma next_modulus_quick : forall modulus count, next_modulus mul_mod modulus count = quick_next modulus count.
Proof.
  intros modulus count. unfold next_modulus, prime_from, quick_next. cbv zeta. change (wrap 32 2) with 2. apply loop_test. intros t. rewrite is_prime_quick. reflexivity.
Qed.

Lemma moduli_behind_same : forall find other, (forall f k, find f k = other f k) -> forall n count last, moduli_behind find n count last = moduli_behind other n count last.
Proof. intros find other same n. induction n as [|n IH]; intros count last; [reflexivity |]. cbn [moduli_behind]. rewrite same, IH. reflexivity. Qed.

Lemma rns_moduli_quick : rns_moduli = expected_moduli.
Proof.
  unfold rns_moduli. rewrite (moduli_behind_same _ quick_next next_modulus_quick). vm_cast_no_check (eq_refl expected_moduli).
Qed.

(** f i, f (i + 1), ...: n of them are true. *)
Fixpoint every (n : nat) (i : Z) (f : Z -> bool) : bool := match n with O => true | S m => if f i then every m (i + 1) f else false end.

Lemma every_all : forall n i f, every (Z.to_nat n) i f = true -> forall j, i <= j < i + n -> f j = true.
Proof.
  assert (all : forall n i f, every n i f = true -> forall j, i <= j < i + Z.of_nat n -> f j = true); [| intros n i f holds j range; apply (all (Z.to_nat n) i f holds); lia].
  induction n as [|n IH]; intros i f all j range; [lia |]. cbn [every] in all. destruct (f i) eqn:first; [| discriminate].
  destruct (Z.eq_dec i j) as [same | other]; [subst j; exact first |]. apply (IH (i + 1) f all). lia.
Qed.

(** A sieve: no multiple of 2, ..., 46340 among the numbers 2^31 - 1, ..., 2^31 - 2^14 is a modulus. *)
Definition members : PositiveMap.t unit := fold_left (fun map m => PositiveMap.add (Z.to_pos (2 ^ 31 - m)) tt map) expected_moduli (PositiveMap.empty unit).
Definition member (offset : Z) : bool := PositiveMap.mem (Z.to_pos offset) members.
Definition no_multiple (d : Z) : bool := let first := 2 ^ 31 mod d in
  every (Z.to_nat (2 ^ 14 / d + 1)) 0 (fun j => let offset := first + j * d in (offset =? 0) || negb (member offset)).
Lemma sieved : every (Z.to_nat 46339) 2 no_multiple = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma all_members : forallb (fun m => (2 ^ 31 - 2 ^ 14 <? m) && (m <? 2 ^ 31) && member (2 ^ 31 - m)) expected_moduli = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

Lemma no_divisor : forall m d, In m expected_moduli -> 2 <= d <= 46340 -> ~ (d | m).
Proof.
  intros m d inside range [q whole]. pose proof all_members as all. rewrite forallb_forall in all. specialize (all m inside).
  apply andb_prop in all. destruct all as [all is_member]. assert (2 ^ 31 - 2 ^ 14 < m < 2 ^ 31) as m_range by (apply andb_prop in all; destruct all; lia).
  pose proof (every_all 46339 2 no_multiple sieved d ltac:(lia)) as row. unfold no_multiple in row. cbv zeta in row.
  pose proof (Z_div_mod_eq_full (2 ^ 31) d) as split_. pose proof (Z.mod_pos_bound (2 ^ 31) d ltac:(lia)) as rest.
  set (r := 2 ^ 31 mod d) in *. set (p := 2 ^ 31 / d) in *.
  assert (offset : 2 ^ 31 - m = r + (p - q) * d) by lia.
  assert (0 <= p - q) by nia.
  assert (p - q <= 2 ^ 14 / d) by (apply Z.div_le_lower_bound; nia).
  pose proof (every_all (2 ^ 14 / d + 1) 0 _ row (p - q) ltac:(lia)) as one. cbv beta zeta in one. rewrite <- offset, is_member in one.
  destruct (Z.eqb_spec (2 ^ 31 - m) 0); [lia | discriminate].
Qed.

Lemma rns_modulus_in : forall k, 0 <= k < rns_max_moduli -> In (rns_modulus k) expected_moduli.
Proof. intros k range. unfold rns_modulus. rewrite rns_moduli_quick. apply nth_In. change (length expected_moduli) with (Z.to_nat rns_max_moduli). lia. Qed.

Definition descending : bool := forallb (fun k => nth (Z.to_nat (k + 1)) expected_moduli 0 <? nth (Z.to_nat k) expected_moduli 0) (below (rns_max_moduli - 1)).
Lemma descends : descending = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** The moduli that the code finds are descending primes, in the range that its arithmetic needs (rns_reductions). *)
Theorem rns_moduli_prime : forall k, 0 <= k < rns_max_moduli ->
  prime (rns_modulus k) /\ 2 ^ 31 - 2 ^ 14 < rns_modulus k < 2 ^ 31 /\ (0 < k -> rns_modulus k < rns_modulus (k - 1)).
Proof.
  intros k krange. pose proof (rns_modulus_in k krange) as inside.
  assert (m_range : 2 ^ 31 - 2 ^ 14 < rns_modulus k < 2 ^ 31).
  { pose proof all_members as all. rewrite forallb_forall in all. specialize (all _ inside). apply andb_prop in all. destruct all as [all _].
    apply andb_prop in all. destruct all. lia. }
  split; [| split; [exact m_range |]].
  - apply prime_alt. split; [lia |]. intros n nrange divides. pose proof divides as [q whole]. set (m := rns_modulus k) in *.
    destruct (Z_le_gt_dec n 46340) as [small | large].
    + apply (no_divisor m n inside); [lia | exact divides].
    + apply (no_divisor m q inside); [nia | exists n; lia].
  - intros positive. pose proof (below_all _ _ descends (k - 1) ltac:(lia)) as one. cbv beta in one.
    unfold rns_modulus. rewrite rns_moduli_quick. replace (k - 1 + 1) with k in one by lia. lia.
Qed.

(** The product of the first n moduli, and the table of its logarithms as the code adds them up. *)
Fixpoint product_upto (f : Z -> Z) (n : nat) : Z := match n with O => 1 | S m => product_upto f m * f (Z.of_nat m) end.
Definition rns_product (count : Z) : Z := product_upto rns_modulus (Z.to_nat count).
Definition log2_table (log2 : R -> R) (count : Z) : Z -> R := for_up 0 count (fun k bits => add_bits log2 bits (rns_modulus k) k) (fun _ => 0%R).

(** What the code asks of the library's logarithm: an error of at most 2^-46 up to 2^31, where its results have bits of 2^-48. *)
Definition log2_near (log2 : R -> R) : Prop := forall m, 1 < m < 2 ^ 31 -> (Rabs (log2 (IZR m) - ln (IZR m) / ln 2) <= / 70368744177664)%R.

Lemma ln2_large : (7 / 12 <= ln 2)%R.
Proof.
  assert (low : forall y, (0 < y)%R -> (1 - / y <= ln y)%R).
  { intros y positive. assert (H : (- ln y <= / y - 1)%R); [| lra]. rewrite <- ln_Rinv by exact positive.
    pose proof (exp_ineq1_le (ln (/ y))) as H. rewrite exp_ln in H by (apply Rinv_0_lt_compat; exact positive). lra. }
  replace 2%R with (4 / 3 * (3 / 2))%R by lra. rewrite ln_mult by lra. pose proof (low (4 / 3)%R ltac:(lra)). pose proof (low (3 / 2)%R ltac:(lra)). lra.
Qed.

Lemma log2_table_near : forall log2, log2_near log2 -> forall count, 0 <= count <= rns_max_moduli ->
  0 < rns_product count /\ (Rabs (log2_table log2 count count - ln (IZR (rns_product count)) / ln 2) <= IZR count * / 274877906944)%R /\ (Rabs (log2_table log2 count count) <= IZR count * 32)%R.
Proof.
  intros log2 near count range. pose proof ln2_large as ln2.
  apply (for_up_invariant (fun k bits => 0 < rns_product k /\ (Rabs (bits k - ln (IZR (rns_product k)) / ln 2) <= IZR k * / 274877906944)%R /\ (Rabs (bits k) <= IZR k * 32)%R) _ 0 count); [lia | | ].
  - change (rns_product 0) with 1. rewrite ln_1. split; [lia |]. unfold Rdiv. rewrite !Rmult_0_l, Rminus_0_r, Rabs_R0. lra.
  - intros k bits krange [positive [close size]]. destruct (rns_moduli_prime k ltac:(lia)) as [_ [m_range _]].
    unfold add_bits. cbv zeta. unfold update. rewrite Z.eqb_refl.
    assert (next : rns_product (k + 1) = rns_product k * rns_modulus k).
    { unfold rns_product. replace (Z.to_nat (k + 1)) with (S (Z.to_nat k)) by lia. cbn [product_upto]. rewrite Z2Nat.id by lia. reflexivity. }
    rewrite next. rewrite rd64_integer by lia. split; [apply Z.mul_pos_pos; lia |].
    set (m := rns_modulus k) in *. pose proof (near m ltac:(lia)) as one. rewrite mult_IZR, ln_mult by (apply IZR_lt; lia).
    replace ((ln (IZR (rns_product k)) + ln (IZR m)) / ln 2)%R with (ln (IZR (rns_product k)) / ln 2 + ln (IZR m) / ln 2)%R by (field; lra).
    set (x := (ln (IZR (rns_product k)) / ln 2)%R) in *. set (y := (ln (IZR m) / ln 2)%R) in *.
    assert (y_range : (0 <= y <= 31)%R).
    { assert (positive_log : (0 <= ln (IZR m))%R). { rewrite <- ln_1. destruct (Req_dec 1 (IZR m)) as [same | other]; [rewrite same; lra |]. apply Rlt_le, ln_increasing; [lra |]. apply IZR_lt. lia. }
      assert (upper : (ln (IZR m) <= 31 * ln 2)%R).
      { replace (31 * ln 2)%R with (ln (IZR (2 ^ 31))). { apply Rlt_le, ln_increasing; apply IZR_lt; lia. }
        change (2 ^ 31) with (Z.pow_pos 2 31). replace (IZR (Z.pow_pos 2 31)) with (2 ^ 31)%R by (simpl; lra). rewrite ln_pow by lra. simpl. lra. }
      unfold y. split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
      apply Rmult_le_reg_r with (ln 2); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    assert (k_real : (0 <= IZR k <= 543)%R) by (unfold rns_max_moduli in *; split; apply IZR_le; lia).
    apply Rabs_le_inv in one, close, size. rewrite plus_IZR.
    assert (rounded : (Rabs (rd64 (bits k + log2 (IZR m)) - (bits k + log2 (IZR m))) <= / 549755813888)%R).
    { apply (rd64_error _ 15); [lia |]. simpl. apply Rabs_lt. lra. }
    apply Rabs_le_inv in rounded. split; apply Rabs_le; lra.
Qed.

Lemma loop_up : forall fuel (test : Z -> bool) s, let r := loop fuel test (fun c => c + 1) s in s <= r /\ (test r = false \/ r = s + Z.of_nat fuel).
Proof.
  induction fuel as [|fuel IH]; intros test s; [split; [cbn; lia | right; cbn; lia] |]. cbn [loop]. destruct (test s) eqn:more.
  - destruct (IH test (s + 1)) as [above [done | all]]; (split; [lia |]); [left; exact done | right; lia].
  - split; [cbn; lia | left; exact more].
Qed.

Lemma moduli_for_bits_exit : forall bits_of bits, Z.quot bits 31 + 1 <= moduli_for_bits bits_of bits /\
  (Rlt_bool (bits_of (moduli_for_bits bits_of bits)) (rd64 (rd64 (IZR (bits + 1)) + IZR 1 / IZR 32768)) = false \/ moduli_for_bits bits_of bits = Z.quot bits 31 + 1 + Z.of_nat 1000).
Proof. intros bits_of bits. unfold moduli_for_bits. cbv zeta. apply loop_up. Qed.

(** A number of up to `bits` bits is in the range in which the quotient is right (mp_quotient), if the code has so many moduli. *)
Theorem rns_moduli_suffice : forall log2, log2_near log2 -> forall bits, 0 <= bits -> let count := moduli_for_bits (fun k => log2_table log2 k k) bits in count <= rns_max_moduli ->
  forall s, Z.abs s <= 2 ^ bits -> (Rabs (IZR s) < IZR (rns_product count) / 2 * (1 - / 131072))%R.
Proof.
  intros log2 near bits bits_range count most s small.
  assert (exit : 1 <= count /\ Z.quot bits 31 + 1 <= count /\
    Rlt_bool (log2_table log2 count count) (rd64 (rd64 (IZR (bits + 1)) + IZR 1 / IZR 32768)) = false).
  { pose proof (moduli_for_bits_exit (fun k => log2_table log2 k k) bits) as exit_. cbv beta in exit_. fold count in exit_. pose proof (Z.quot_pos bits 31 ltac:(lia) ltac:(lia)).
    destruct exit_ as [above [done | all]]; [| unfold rns_max_moduli in most; lia]. split; [lia |]. split; [lia | exact done]. }
  clearbody count. destruct exit as [count_low [enough exit]].
  assert (bits_small : bits < 16864).
  { pose proof (Z.quot_rem bits 31 ltac:(lia)). pose proof (Z.rem_bound_pos bits 31 ltac:(lia) ltac:(lia)). unfold rns_max_moduli in most. lia. }
  destruct (log2_table_near log2 near count ltac:(lia)) as [positive [close _]].
  assert (count_real : (0 <= IZR count <= 544)%R) by (unfold rns_max_moduli in most; split; apply IZR_le; lia).
  rewrite rd64_integer in exit by lia.
  assert (bits_real : (0 <= IZR bits <= 16863)%R) by (split; apply IZR_le; lia).
  assert (rounded : (Rabs (rd64 (IZR (bits + 1) + IZR 1 / IZR 32768) - (IZR (bits + 1) + IZR 1 / IZR 32768)) <= / 549755813888)%R).
  { apply (rd64_error _ 15); [lia |]. simpl. rewrite plus_IZR. apply Rabs_lt. lra. }
  rewrite plus_IZR in *. destruct (Rlt_bool_spec (log2_table log2 count count) (rd64 (IZR bits + 1 + IZR 1 / IZR 32768))) as [_ | reached]; [discriminate |]. clear exit.
  set (M := IZR (rns_product count)) in *. assert (M_positive : (0 < M)%R) by (apply IZR_lt; exact positive).
  pose proof ln2_large as ln2. apply Rabs_le_inv in close, rounded.
  assert (logs : (IZR bits + 1 + / 40000 <= ln M / ln 2)%R) by lra.
  assert (scaled : ((IZR bits + 1 + / 40000) * ln 2 <= ln M)%R).
  { apply Rmult_le_compat_r with (r := ln 2) in logs; [| lra]. unfold Rdiv in logs. rewrite Rmult_assoc, Rinv_l, Rmult_1_r in logs by lra. exact logs. }
  assert (power : (0 < IZR (2 ^ bits))%R) by (apply IZR_lt; apply Z.pow_pos_nonneg; lia).
  assert (power_log : ln (IZR (2 ^ bits)) = (IZR bits * ln 2)%R).
  { rewrite <- (Z2Nat.id bits) at 1 by lia. rewrite <- pow_IZR. rewrite ln_pow by lra. rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity. }
  assert (margin : (ln (1 + / 69000) <= / 69000)%R).
  { pose proof (exp_ineq1_le (/ 69000)) as H. rewrite <- (ln_exp (/ 69000)) at 2. destruct H as [less | same]; [apply Rlt_le, ln_increasing; lra | rewrite same; apply Rle_refl]. }
  assert (room : (IZR (2 ^ bits) * 2 * (1 + / 69000) < M)%R).
  { apply ln_lt_inv; [nra | exact M_positive |]. rewrite !ln_mult by lra. lra. }
  assert (s_small : (Rabs (IZR s) <= IZR (2 ^ bits))%R) by (rewrite <- abs_IZR; apply IZR_le; exact small).
  lra.
Qed.
