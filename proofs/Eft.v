(* The error-free transformations of lib/numerics/eft.hpp. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN Relative Plus_error Mult_error Pff2Flocq.
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

Lemma even_symmetric (x : Z) : negb (Z.even x) = negb (negb (Z.even (- (x + 1)))).
Proof. rewrite Z.even_opp, Z.even_add. simpl. now destruct (Z.even x). Qed.

Lemma two_sum_real (x y : R) : format64 x -> format64 y ->
  let s := rnd64 (x + y) in let t := rnd64 (s - x) in
  s + rnd64 (rnd64 (x - rnd64 (s - t)) + rnd64 (y - t)) = x + y.
Proof.
  intros Fx Fy. exact (TwoSum_correct (-1074) 53 (fun x => negb (Z.even x)) eq_refl ltac:(lia) even_symmetric x y Fx Fy).
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
  - refine (eq_trans _ (Fast2Sum_correct (-1074) 53 (fun x => negb (Z.even x)) eq_refl ltac:(lia) even_symmetric
                          (B2R a) (B2R b) (format_B2R _) (format_B2R _) O)).
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
