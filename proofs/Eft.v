(* The error-free transformations of lib/numerics/eft.hpp. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN Relative Plus_error Mult_error Sterbenz.
From Proofs Require Import Semantics Floats ZivSource.

Open Scope R_scope.

Definition pair := (double * double)%type.
Definition high (p : pair) : double := fst p.
Definition low (p : pair) : double := snd p.

Definition two_sum (a b : double) : pair :=
  let s := add a b in
  let t := add s (Bopp a) in
  (s, add (add a (Bopp (add s (Bopp t)))) (add b (Bopp t))).

Definition fast_two_sum (a b : double) : pair :=
  let s := add a b in (s, add b (Bopp (add s (Bopp a)))).

Definition two_product (a b : double) : pair :=
  let p := mul a b in (p, fma a b (Bopp p)).

Lemma format64_half (x : R) : format64 x -> 2 * normal64 < Rabs x -> format64 (x / 2).
Proof.
  intros F L. replace (x / 2) with (x * bpow radix2 (-1)) by (simpl; lra). apply mult_bpow_exact_FLT; [exact F|].
  assert (-1021 < mag radix2 x)%Z; [|lia]. apply mag_gt_bpow. change (-1021)%Z with (1 + -1022)%Z. rewrite bpow_plus. change (bpow radix2 1) with 2. now apply Rlt_le.
Qed.

(* The sum of a > 0 and a smaller number, less a, is a double. *)
Lemma sum_less_first (a b : R) : format64 a -> format64 b -> 0 < a -> Rabs b <= a -> format64 (rnd64 (a + b) - a).
Proof.
  intros Fa Fb P O. apply Rabs_le_inv in O. destruct (Rle_or_lt b (- (a / 2))) as [L|L].
  - (* a + b is exact *)
    rewrite rnd64_exact; [now replace (a + b - a) with b by ring|]. replace (a + b) with (a - - b) by ring.
    apply sterbenz; auto using format64_opp with typeclass_instances. lra.
  - apply sterbenz; auto using rnd64_format with typeclass_instances. split.
    + destruct (Rle_or_lt 0 b) as [B|B].
      * apply Rle_trans with a; [lra|]. rewrite <- (rnd64_exact a) at 1 by exact Fa. apply rnd64_le. lra.
      * destruct (Rle_or_lt (Rabs a) (2 * normal64)) as [S|S].
        -- rewrite rnd64_small_sum; auto; [lra|]. rewrite Rabs_pos_eq in * by lra. lra.
        -- rewrite <- (rnd64_exact (a / 2)) by now apply format64_half. apply rnd64_le. lra.
    + replace (2 * a) with (a * bpow radix2 1) by (simpl; lra). rewrite <- (rnd64_exact (a * bpow radix2 1)).
      * apply rnd64_le. simpl. lra.
      * now apply mult_bpow_pos_exact_FLT.
Qed.

Lemma sum_less_larger (a b : R) : format64 a -> format64 b -> Rabs b <= Rabs a -> format64 (rnd64 (a + b) - a).
Proof.
  intros Fa Fb O. destruct (total_order_T 0 a) as [[P|Z]|N].
  - rewrite (Rabs_pos_eq a) in O by lra. now apply sum_less_first.
  - rewrite <- Z in *. rewrite Rabs_R0 in O. assert (b = 0) by (apply Rabs_eq_R0; generalize (Rabs_pos b); lra). subst b.
    rewrite Rplus_0_r, round_0, Rminus_0_r by typeclasses eauto. apply generic_format_0.
  - replace (rnd64 (a + b) - a) with (- (rnd64 (- a + - b) - - a)).
    + apply format64_opp, sum_less_first; auto using format64_opp; [lra|]. rewrite Rabs_Ropp, <- (Rabs_left a); lra.
    + replace (- a + - b) with (- (a + b)) by ring. rewrite rnd64_opp. ring.
Qed.

Lemma format64_error (a b : R) : format64 a -> format64 b -> format64 (a + b - rnd64 (a + b)).
Proof.
  intros Fa Fb. replace (a + b - rnd64 (a + b)) with (- (rnd64 (a + b) - (a + b))) by ring.
  apply format64_opp, plus_error; auto with typeclass_instances.
Qed.

Lemma fast_two_sum_real (a b : R) : format64 a -> format64 b -> Rabs b <= Rabs a ->
  rnd64 (a + b) + rnd64 (b + rnd64 (a - rnd64 (a + b))) = a + b.
Proof.
  intros Fa Fb O. replace (a - rnd64 (a + b)) with (- (rnd64 (a + b) - a)) by ring.
  rewrite (rnd64_exact (- _)) by now apply format64_opp, sum_less_larger.
  replace (b + - (rnd64 (a + b) - a)) with (a + b - rnd64 (a + b)) by ring.
  rewrite (rnd64_exact (_ - _)) by now apply format64_error. ring.
Qed.

(* Knuth's sequence, for b > 0 and abs(a) < b: t is so near b that b - t is exact, and s - t is exact as abs(a) <= s. *)
Lemma two_sum_second (a b : R) : format64 a -> format64 b -> Rabs a < b ->
  let s := rnd64 (a + b) in let t := rnd64 (s - a) in format64 (s - t) /\ format64 (b - t).
Proof.
  intros Fa Fb O s t. apply Rabs_lt_inv in O. destruct (Rle_or_lt a (- (b / 2))) as [L|L].
  - assert (E : s = a + b).
    { apply rnd64_exact. replace (a + b) with (b - - a) by ring. apply sterbenz; auto using format64_opp with typeclass_instances. lra. }
    assert (E2 : t = b) by (unfold t; rewrite E; replace (a + b - a) with b by ring; now apply rnd64_exact).
    rewrite E2, E. replace (a + b - b) with a by ring. replace (b - b) with 0 by ring. auto using generic_format_0.
  - assert (M : Rabs a <= s).
    { rewrite <- (rnd64_exact (Rabs a)) by now apply generic_format_abs. apply rnd64_le. unfold Rabs. destruct Rcase_abs; lra. }
    assert (Fs : format64 s) by apply rnd64_format.
    split.
    + replace (s - t) with (- (rnd64 (s + - a) - s)) by (unfold t, Rminus; ring).
      apply format64_opp, sum_less_larger; auto using format64_opp. rewrite Rabs_Ropp. rewrite (Rabs_pos_eq s); [exact M|].
      generalize (Rabs_pos a). lra.
    + assert (H1 := rnd64_sum a b Fa Fb). fold s in H1. rewrite (Rabs_pos_eq (a + b)) in H1 by lra. apply Rabs_le_inv in H1.
      assert (U : 0 < u64 <= 1 / 1024) by (unfold u64; lra).
      assert (H2 := rnd64_sum s (- a) Fs (format64_opp _ Fa)). change (rnd64 (s + - a)) with t in H2.
      assert (R : b / 2 < s - a < 2 * b) by (split; nra).
      rewrite (Rabs_pos_eq (s + - a)) in H2 by lra. apply Rabs_le_inv in H2.
      apply sterbenz; auto with typeclass_instances; [apply rnd64_format|].
      assert (T : b * (1 - 2 * u64) <= s - a <= b * (1 + 2 * u64)) by (split; nra). split; nra.
Qed.

Lemma two_sum_real (x y : R) : format64 x -> format64 y ->
  let s := rnd64 (x + y) in let t := rnd64 (s - x) in
  s + rnd64 (rnd64 (x - rnd64 (s - t)) + rnd64 (y - t)) = x + y.
Proof.
  intros Fx Fy s t. assert (H : format64 (s - t) /\ format64 (y - t)).
  { destruct (Rle_or_lt (Rabs y) (Rabs x)) as [O|O].
    - assert (E : t = s - x) by (apply rnd64_exact; now apply sum_less_larger). rewrite E.
      replace (s - (s - x)) with x by ring. replace (y - (s - x)) with (x + y - s) by ring. split; [exact Fx|]. now apply format64_error.
    - destruct (Rle_or_lt 0 y) as [P|N].
      + rewrite (Rabs_pos_eq y) in O by exact P. now apply two_sum_second.
      + rewrite (Rabs_left y) in O by exact N. rewrite <- (Rabs_Ropp x) in O.
        destruct (two_sum_second (- x) (- y) (format64_opp _ Fx) (format64_opp _ Fy) O) as (H1 & H2).
        replace (- x + - y) with (- (x + y)) in * by ring. rewrite rnd64_opp in *. fold s in H1, H2.
        replace (- s - - x) with (- (s - x)) in * by ring. rewrite rnd64_opp in *. fold t in H1, H2.
        split; [replace (s - t) with (- (- s - - t)) by ring | replace (y - t) with (- (- y - - t)) by ring]; now apply format64_opp. }
  destruct H as (F1 & F2). rewrite (rnd64_exact (s - t)) by exact F1. rewrite (rnd64_exact (y - t)) by exact F2.
  assert (F3 : format64 (x - (s - t))).
  { replace (x - (s - t)) with (- (s + - x - rnd64 (s + - x))) by (unfold t, Rminus; ring).
    apply format64_opp, format64_error; [apply rnd64_format | now apply format64_opp]. }
  rewrite (rnd64_exact (x - (s - t))) by exact F3. replace (x - (s - t) + (y - t)) with (x + y - s) by ring.
  rewrite rnd64_exact by now apply format64_error. ring.
Qed.

(* The definitions above are those of the header. *)
Lemma two_sum_source_value (a b : double) : is_finite (low (two_sum a b)) = true ->
  (B2R (high (two_sum a b)), B2R (low (two_sum a b))) = two_sum_source (B2R a) (B2R b).
Proof.
  unfold two_sum, high, low, fst, snd, two_sum_source, add_rn_source. cbv zeta. intros F.
  repeat match goal with
         | H : is_finite (add _ _) = true |- _ => apply add64 in H; destruct H as (? & ? & ->)
         | H : is_finite (Bopp _) = true |- _ => apply opp64 in H; destruct H as (? & ->)
         end.
  reflexivity.
Qed.

(* Theorem: two_sum loses nothing if its low part is finite, which also excludes overflow on the way. *)
Theorem two_sum_exact (a b : double) : is_finite (low (two_sum a b)) = true ->
  is_finite a = true /\ is_finite b = true /\ is_finite (high (two_sum a b)) = true /\
  B2R (high (two_sum a b)) = rnd64 (B2R a + B2R b) /\
  B2R (high (two_sum a b)) + B2R (low (two_sum a b)) = B2R a + B2R b.
Proof.
  unfold two_sum, high, low, fst, snd. intros F.
  generalize (two_sum_real (B2R a) (B2R b) (format_B2R _) (format_B2R _)). cbv zeta.
  set (s := add a b) in *. set (t := add s (Bopp a)) in *.
  destruct (add64 _ _ F) as (F1 & F2 & E). rewrite E. clear F E.
  destruct (add64 _ _ F1) as (_ & F3 & E1). rewrite E1. clear F1 E1.
  destruct (add64 _ _ F2) as (Fb & F4 & E2). rewrite E2. clear F2 E2.
  destruct (opp64 _ F3) as (F5 & E3). rewrite E3. clear F3 E3.
  destruct (add64 _ _ F5) as (Fs & _ & E4). rewrite E4. clear F5 E4.
  destruct (opp64 _ F4) as (Ft & E5). rewrite E5. clear F4 E5.
  destruct (add64 _ _ Ft) as (_ & F6 & E6). fold t in E6. rewrite E6. clear Ft E6.
  destruct (opp64 _ F6) as (Fa & E7). rewrite E7.
  destruct (add64 _ _ Fs) as (_ & _ & E8). fold s in E8. rewrite E8. unfold Rminus. intros H. auto.
Qed.

Lemma fast_two_sum_source_value (a b : double) : is_finite (low (fast_two_sum a b)) = true ->
  (B2R (high (fast_two_sum a b)), B2R (low (fast_two_sum a b))) = fast_two_sum_source (B2R a) (B2R b).
Proof.
  unfold fast_two_sum, high, low, fst, snd, fast_two_sum_source, add_rn_source. cbv zeta. intros F.
  repeat match goal with
         | H : is_finite (add _ _) = true |- _ => apply add64 in H; destruct H as (? & ? & ->)
         | H : is_finite (Bopp _) = true |- _ => apply opp64 in H; destruct H as (? & ->)
         end.
  reflexivity.
Qed.

(* Theorem: fast_two_sum loses nothing if abs(b) <= abs(a) or a = 0. *)
Theorem fast_two_sum_exact (a b : double) : is_finite (low (fast_two_sum a b)) = true ->
  Rabs (B2R b) <= Rabs (B2R a) \/ B2R a = 0 ->
  is_finite a = true /\ is_finite b = true /\ is_finite (high (fast_two_sum a b)) = true /\
  B2R (high (fast_two_sum a b)) = rnd64 (B2R a + B2R b) /\
  B2R (high (fast_two_sum a b)) + B2R (low (fast_two_sum a b)) = B2R a + B2R b.
Proof.
  unfold fast_two_sum, high, low, fst, snd. intros F O. set (s := add a b) in *.
  destruct (add64 _ _ F) as (Fb & F1 & E). rewrite E. clear F E.
  destruct (opp64 _ F1) as (F2 & E1). rewrite E1. clear F1 E1.
  destruct (add64 _ _ F2) as (Fs & F3 & E2). rewrite E2. clear F2 E2.
  destruct (opp64 _ F3) as (Fa & E3). rewrite E3.
  destruct (add64 _ _ Fs) as (_ & _ & E4). fold s in E4. rewrite E4.
  repeat split; auto. destruct O as [O|O].
  - refine (eq_trans _ (fast_two_sum_real (B2R a) (B2R b) (format_B2R _) (format_B2R _) O)).
    set (r := rnd64 (B2R a + B2R b)).
    replace (r + - B2R a) with (- (B2R a - r)) by ring. now rewrite rnd64_opp, Ropp_involutive.
  - rewrite O. rewrite Rplus_0_l, (rnd64_exact (B2R b)) by apply format_B2R.
    rewrite Ropp_0, Rplus_0_r, (rnd64_exact (B2R b)) by apply format_B2R.
    replace (B2R b + - B2R b) with 0 by ring. rewrite round_0 by typeclasses eauto. ring.
Qed.

Lemma two_product_source_value (a b : double) : is_finite (low (two_product a b)) = true ->
  (B2R (high (two_product a b)), B2R (low (two_product a b))) = two_product_source (B2R a) (B2R b).
Proof.
  unfold two_product, high, low, fst, snd, two_product_source, mul_rn_source, fma_rn_source. cbv zeta. intros F.
  apply fma64 in F. destruct F as (_ & _ & F & ->). apply opp64 in F. destruct F as (F & ->).
  apply mul64 in F. destruct F as (_ & _ & ->). reflexivity.
Qed.

(* Lemma: the low part of two_product is the error of the high part, up to 2^-1075, and exactly if a b is a multiple
   of 2^-1074 or abs(a b) >= 2^-969. *)
Lemma two_product_error (a b : double) : is_finite (low (two_product a b)) = true ->
  is_finite a = true /\ is_finite b = true /\ is_finite (high (two_product a b)) = true /\
  B2R (high (two_product a b)) = rnd64 (B2R a * B2R b) /\
  B2R (low (two_product a b)) = rnd64 (B2R a * B2R b - B2R (high (two_product a b))).
Proof.
  unfold two_product, high, low, fst, snd. intros F. set (p := mul a b) in *.
  destruct (fma64 _ _ _ F) as (Fa & Fb & Fp & E). destruct (opp64 _ Fp) as (Fp' & Ep).
  destruct (mul64 _ _ Fp') as (_ & _ & Em). rewrite E, Ep. auto.
Qed.

Lemma two_product_exact (a b : double) : is_finite (low (two_product a b)) = true ->
  bpow radix2 (-969) <= Rabs (B2R a * B2R b) \/ B2R a * B2R b = 0 ->
  B2R (high (two_product a b)) + B2R (low (two_product a b)) = B2R a * B2R b.
Proof.
  intros F H. destruct (two_product_error _ _ F) as (_ & _ & _ & Eh & El). rewrite El.
  rewrite rnd64_exact; [ring|]. rewrite Eh. rewrite <- (Ropp_involutive (_ - _)), Ropp_minus_distr.
  apply format64_opp.
  refine (mult_error_FLT radix2 (-1074) 53 ZnearestE _ _ (format_B2R _) (format_B2R _) _).
  intros N. destruct H as [H|H]; [exact H | now elim N].
Qed.

(* The error of the low part of any product: it is a rounding of a multiple of the products' last bits. *)
Lemma two_product_underflow (a b : double) : is_finite (low (two_product a b)) = true ->
  Rabs (B2R (high (two_product a b)) + B2R (low (two_product a b)) - B2R a * B2R b) <= bpow radix2 (-1075).
Proof.
  intros F. destruct (Rle_or_lt (bpow radix2 (-969)) (Rabs (B2R a * B2R b))) as [L|L].
  - rewrite two_product_exact by auto. replace (_ - _) with 0 by ring. rewrite Rabs_R0. apply bpow_ge_0.
  - destruct (two_product_error _ _ F) as (_ & _ & _ & Eh & El). rewrite El, Eh.
    set (x := B2R a * B2R b) in *.
    assert (B := rnd64_below (-969) x ltac:(lia) L).
    replace (_ - _) with (rnd64 (x - rnd64 x) - (x - rnd64 x)) by ring.
    eapply Rle_trans; [apply (rnd64_below (-1021)); [lia|]|].
    + rewrite Rabs_minus_sym. eapply Rle_lt_trans; [exact B|]. rewrite u64_bpow, <- bpow_plus. apply bpow_lt. lia.
    + rewrite u64_bpow, <- bpow_plus. apply bpow_le. lia.
Qed.

(* Theorem: high + low of two_product is a b up to 2^-1075, and exactly where abs(a b) >= 2^-969 or a b = 0; high is
   RN(a b). *)
Theorem two_product_correct (a b : double) : is_finite (low (two_product a b)) = true ->
  is_finite a = true /\ is_finite b = true /\ B2R (high (two_product a b)) = rnd64 (B2R a * B2R b) /\
  Rabs (B2R (high (two_product a b)) + B2R (low (two_product a b)) - B2R a * B2R b) <= bpow radix2 (-1075) /\
  (bpow radix2 (-969) <= Rabs (B2R a * B2R b) \/ B2R a * B2R b = 0 ->
   B2R (high (two_product a b)) + B2R (low (two_product a b)) = B2R a * B2R b).
Proof.
  intros F. destruct (two_product_error _ _ F) as (Fa & Fb & _ & Eh & _).
  repeat split; auto using two_product_underflow, two_product_exact.
Qed.
