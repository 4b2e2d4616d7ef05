(* Operations of IEEE 754 on binary64 and binary32, rounded to nearest even, as lib/numerics/eft.hpp names them, and
   what they compute in real numbers. Infinities and NaN are values, so that theorems cover overflow. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN Relative Plus_error.

Open Scope R_scope.

Section Format.

Variables prec emax : Z.
Context (prec_positive : Prec_gt_0 prec) (prec_below : Prec_lt_emax prec emax).

Notation fexp := (SpecFloat.fexp prec emax).
Notation fl := (binary_float prec emax).
Notation rnd := (round radix2 fexp ZnearestE).

Definition same_bits (a b : fl) : bool :=
  match a, b with
  | B754_zero s, B754_zero t => eqb s t
  | B754_infinity s, B754_infinity t => eqb s t
  | B754_nan, B754_nan => true
  | B754_finite s m e _, B754_finite t n f _ => eqb s t && Pos.eqb m n && Z.eqb e f
  | _, _ => false
  end.

Definition is_zero (a : fl) : bool := match a with B754_zero _ => true | _ => false end.

Lemma same_bits_value (a b : fl) : same_bits a b = true -> B2R a = B2R b.
Proof.
  destruct a, b; simpl; try discriminate; auto.
  intros H. apply andb_prop in H as [H He]. apply andb_prop in H as [Hs Hm].
  apply eqb_prop in Hs. apply Pos.eqb_eq in Hm. apply Z.eqb_eq in He. subst. reflexivity.
Qed.

Lemma same_bits_finite (a b : fl) : same_bits a b = true -> is_finite a = is_finite b.
Proof. destruct a, b; simpl; try discriminate; auto. Qed.

Lemma not_zero_value (a : fl) : is_finite a = true -> is_zero a = false -> B2R a <> 0.
Proof.
  destruct a as [s|s| |s m e H]; simpl; try discriminate. intros _ _.
  destruct s; [apply Rlt_not_eq, F2R_lt_0 | apply Rgt_not_eq, F2R_gt_0]; simpl; lia.
Qed.

Lemma same_bits_refl (a : fl) : same_bits a a = true.
Proof. destruct a as [s|s| |s m e H]; simpl; try apply eqb_reflx; auto. now rewrite eqb_reflx, Pos.eqb_refl, Z.eqb_refl. Qed.

(* The test of equal bits, without zeros, infinities and NaN, is a test of equal numbers. *)
Lemma same_bits_real (a b : fl) : same_bits a b && negb (is_zero a) && is_finite a =
  Req_bool (B2R a) (B2R b) && negb (Req_bool (B2R a) 0) && is_finite a.
Proof.
  destruct (is_finite a) eqn:Fa; [|now rewrite !andb_false_r]. rewrite !andb_true_r.
  destruct (is_zero a) eqn:Za.
  - destruct a; try discriminate. simpl. rewrite (Req_bool_true 0 0) by reflexivity. now rewrite !andb_false_r.
  - assert (N := not_zero_value a Fa Za). rewrite (Req_bool_false (B2R a) 0) by exact N. simpl. rewrite !andb_true_r.
    destruct (Req_bool_spec (B2R a) (B2R b)) as [E|E].
    + assert (H : a = b).
      { apply B2R_inj; auto.
        - destruct a; simpl in *; congruence.
        - destruct b; simpl in *; try congruence; lra. }
      subst. apply same_bits_refl.
    + destruct (same_bits a b) eqn:S; [|reflexivity]. elim E. now apply same_bits_value.
Qed.

Definition add (x y : fl) : fl := Bplus mode_NE x y.
Definition sub (x y : fl) : fl := add x (Bopp y).
Definition mul (x y : fl) : fl := Bmult mode_NE x y.
Definition fma (x y z : fl) : fl := Bfma mode_NE x y z.
Definition constant (m e : Z) : fl := binary_normalize prec emax _ _ mode_NE m e false.
Definition absolute (x : fl) : fl := if Bltb x (constant 0 0) then Bopp x else x.

Lemma add_finite (x y : fl) : is_finite (add x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (add x y) = rnd (B2R x + B2R y).
Proof.
  intros F. unfold add in *.
  destruct (is_finite x) eqn:Fx, (is_finite y) eqn:Fy;
    try (destruct x, y; simpl in *; try discriminate;
         match goal with s : bool, t : bool |- _ => destruct s, t; discriminate | _ => idtac end; fail).
  generalize (Bplus_correct prec emax _ _ mode_NE x y Fx Fy).
  case Rlt_bool.
  - intros [H _]. auto.
  - intros [H _]. exfalso. rewrite <- is_finite_SF_B2SF, H in F. discriminate.
Qed.

Lemma sub_finite (x y : fl) : is_finite (sub x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (sub x y) = rnd (B2R x - B2R y).
Proof.
  intros F. destruct (add_finite _ _ F) as (Fx & Fy & E). rewrite is_finite_Bopp in Fy. rewrite B2R_Bopp in E. auto.
Qed.

Lemma mul_finite (x y : fl) : is_finite (mul x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (mul x y) = rnd (B2R x * B2R y).
Proof.
  intros F. unfold mul in *. generalize (Bmult_correct prec emax _ _ mode_NE x y).
  case Rlt_bool.
  - intros (H & G & _). rewrite F in G. symmetry in G. apply andb_prop in G as [? ?]. auto.
  - intros H. exfalso. rewrite <- is_finite_SF_B2SF, H in F. discriminate.
Qed.

Lemma fma_finite (x y z : fl) : is_finite (fma x y z) = true ->
  is_finite x = true /\ is_finite y = true /\ is_finite z = true /\
  B2R (fma x y z) = rnd (B2R x * B2R y + B2R z).
Proof.
  intros F. unfold fma in *.
  destruct (is_finite x) eqn:Fx, (is_finite y) eqn:Fy, (is_finite z) eqn:Fz;
    try (destruct x as [sx|sx| |sx mx ex Hx], y as [sy|sy| |sy my ey Hy], z as [sz|sz| |sz mz ez Hz];
         simpl in *; try discriminate; destruct (xorb sx sy), sz; discriminate).
  generalize (Bfma_correct prec emax _ _ mode_NE x y z Fx Fy Fz). cbv zeta.
  case Rlt_bool.
  - intros (H & _). auto.
  - intros H. exfalso. rewrite <- is_finite_SF_B2SF, H in F. discriminate.
Qed.

Lemma absolute_value (x : fl) : is_finite (absolute x) = true -> B2R (absolute x) = Rabs (B2R x).
Proof.
  assert (F0 : is_finite (constant 0 0) = true) by reflexivity.
  assert (R0 : B2R (constant 0 0) = 0) by reflexivity.
  unfold absolute. destruct (is_finite x) eqn:Fx.
  - intros _. rewrite (Bltb_correct _ _ x _ Fx F0), R0.
    destruct (Rlt_bool_spec (B2R x) 0) as [L|L].
    + rewrite B2R_Bopp, Rabs_left; auto.
    + rewrite Rabs_pos_eq; auto.
  - destruct (Bltb x (constant 0 0)); [rewrite is_finite_Bopp|]; congruence.
Qed.

Lemma absolute_finite (x : fl) : is_finite (absolute x) = true -> is_finite x = true.
Proof. unfold absolute. destruct (Bltb x (constant 0 0)); [rewrite is_finite_Bopp|]; auto. Qed.

End Format.

Arguments same_bits {prec emax}.
Arguments is_zero {prec emax}.
Arguments add {prec emax _ _}.
Arguments sub {prec emax _ _}.
Arguments mul {prec emax _ _}.
Arguments fma {prec emax _ _}.
Arguments absolute {prec emax _ _}.
Arguments constant {prec emax _ _}.

#[global] Instance prec64_positive : Prec_gt_0 53. Proof. reflexivity. Qed.
#[global] Instance prec64_below : Prec_lt_emax 53 1024. Proof. reflexivity. Qed.
#[global] Instance prec32_positive : Prec_gt_0 24. Proof. reflexivity. Qed.
#[global] Instance prec32_below : Prec_lt_emax 24 128. Proof. reflexivity. Qed.

Notation double := (binary_float 53 1024).
Notation float := (binary_float 24 128).
Notation fexp64 := (FLT_exp (-1074) 53).
Notation fexp32 := (FLT_exp (-149) 24).
Notation rnd64 := (round radix2 fexp64 ZnearestE).
Notation rnd32 := (round radix2 fexp32 ZnearestE).
Notation format64 := (generic_format radix2 fexp64).
Notation format32 := (generic_format radix2 fexp32).

(* static_cast<float> of a double. *)
Definition to_single (x : double) : float :=
  match x with
  | B754_zero s => B754_zero s
  | B754_infinity s => B754_infinity s
  | B754_nan => B754_nan
  | B754_finite s m e _ => binary_normalize 24 128 _ _ mode_NE (cond_Zopp s (Zpos m)) e s
  end.

Lemma to_single_finite (x : double) : is_finite (to_single x) = true ->
  is_finite x = true /\ B2R (to_single x) = rnd32 (B2R x).
Proof.
  destruct x as [s|s| |s m e H]; cbn [to_single]; intros F; try discriminate.
  - split; [reflexivity|]. simpl. now rewrite round_0 by typeclasses eauto.
  - split; [reflexivity|].
    generalize (binary_normalize_correct 24 128 _ _ mode_NE (cond_Zopp s (Zpos m)) e s). cbv zeta.
    case Rlt_bool.
    + intros (E & _). exact E.
    + intros E. exfalso. rewrite <- is_finite_SF_B2SF, E in F. discriminate.
Qed.

(* Constants of binary64. *)
Ltac value_of_constant :=
  rewrite <- SF2R_B2SF;
  match goal with |- SF2R _ ?x = _ => let y := eval vm_compute in x in change x with y end;
  unfold SF2R, F2R; simpl; try lra.

(* Unit roundoff, and the least normal number. *)
Definition u64 := / 9007199254740992.
Definition normal64 := bpow radix2 (-1022).

Lemma u64_bpow : u64 = bpow radix2 (-53).
Proof. unfold u64. simpl. reflexivity. Qed.

Lemma normal64_positive : 0 < normal64.
Proof. apply bpow_gt_0. Qed.

Lemma format_B2R (x : double) : format64 (B2R x).
Proof. exact (generic_format_B2R 53 1024 x). Qed.

Lemma rnd64_le (x y : R) : x <= y -> rnd64 x <= rnd64 y.
Proof. apply round_le; typeclasses eauto. Qed.

Lemma rnd64_format (x : R) : format64 (rnd64 x).
Proof. apply generic_format_round; typeclasses eauto. Qed.

Lemma rnd64_exact (x : R) : format64 x -> rnd64 x = x.
Proof. apply round_generic; typeclasses eauto. Qed.

Lemma rnd64_opp (x : R) : rnd64 (- x) = - rnd64 x.
Proof. apply round_NE_opp. Qed.

Lemma rnd64_nonnegative (x : R) : 0 <= x -> 0 <= rnd64 x.
Proof. intros H. rewrite <- (round_0 radix2 fexp64 ZnearestE). now apply rnd64_le. Qed.

(* Any operation. *)
Lemma rnd64_error (x : R) : Rabs (rnd64 x - x) <= u64 * Rabs x + u64 * normal64.
Proof.
  destruct (error_N_FLT radix2 (-1074) 53 eq_refl (fun x => negb (Z.even x)) x) as (eps & eta & He & Ht & _ & E).
  rewrite E. replace (x * (1 + eps) + eta - x) with (eps * x + eta) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. apply Rplus_le_compat.
  - apply Rmult_le_compat_r; [apply Rabs_pos|].
    replace u64 with (/ 2 * bpow radix2 (- (53) + 1)); [exact He|]. unfold u64. simpl. lra.
  - replace (u64 * normal64) with (/ 2 * bpow radix2 (-1074)); [exact Ht|].
    rewrite u64_bpow. unfold normal64. rewrite <- bpow_plus. change (/ 2) with (bpow radix2 (-1)).
    rewrite <- bpow_plus. reflexivity.
Qed.

(* A result that is not subnormal. *)
Lemma rnd64_normal (x : R) : normal64 <= Rabs x -> Rabs (rnd64 x - x) <= u64 * Rabs x.
Proof.
  intros H. replace u64 with (/ 2 * bpow radix2 (- (53) + 1)) by (unfold u64; simpl; lra).
  apply (relative_error_N_FLT radix2 (-1074) 53 eq_refl). exact H.
Qed.

(* Half a unit in the last place. *)
Lemma rnd64_below (e : Z) (x : R) : (-1021 <= e)%Z -> Rabs x < bpow radix2 e ->
  Rabs (rnd64 x - x) <= u64 * bpow radix2 (e - 1).
Proof.
  intros He H. eapply Rle_trans; [apply error_le_half_ulp; typeclasses eauto|].
  destruct (Req_dec x 0) as [Z|N].
  - subst. rewrite ulp_FLT_0 by reflexivity.
    change (/ 2) with (bpow radix2 (-1)). rewrite u64_bpow, <- !bpow_plus. apply bpow_le. lia.
  - rewrite ulp_neq_0 by exact N. change (/ 2) with (bpow radix2 (-1)).
    rewrite u64_bpow, <- !bpow_plus. apply bpow_le. unfold cexp.
    generalize (mag_le_bpow radix2 x e N H). unfold FLT_exp. lia.
Qed.

(* Sums of numbers of the format lose nothing in the range of subnormals. *)
Lemma rnd64_sum (x y : R) : format64 x -> format64 y ->
  Rabs (rnd64 (x + y) - (x + y)) <= u64 * Rabs (x + y).
Proof.
  intros Fx Fy. destruct (FLT_plus_error_N_ex radix2 (-1074) 53 (fun x => negb (Z.even x)) x y Fx Fy) as (eps & He & E).
  rewrite E. replace ((x + y) * (1 + eps) - (x + y)) with (eps * (x + y)) by ring. rewrite Rabs_mult.
  apply Rmult_le_compat_r; [apply Rabs_pos|]. eapply Rle_trans; [exact He|].
  eapply Rle_trans; [apply u_rod1pu_ro_le_u_ro|]. unfold u_ro. unfold u64. simpl. lra.
Qed.

Lemma rnd64_small_sum (x y : R) : format64 x -> format64 y -> Rabs (x + y) <= 2 * normal64 -> rnd64 (x + y) = x + y.
Proof.
  intros Fx Fy H. apply rnd64_exact. refine (FLT_format_plus_small radix2 (-1074) 53 x y Fx Fy _).
  eapply Rle_trans; [exact H|]. right. unfold normal64. change 2 with (bpow radix2 1). now rewrite <- bpow_plus.
Qed.

Lemma format64_opp (x : R) : format64 x -> format64 (- x).
Proof. apply generic_format_opp. Qed.

Lemma format64_bpow (e : Z) : (-1074 <= e)%Z -> format64 (bpow radix2 e).
Proof. apply generic_format_FLT_bpow. reflexivity. Qed.

Lemma rnd64_at_least (e : Z) (x : R) : (-1074 <= e)%Z -> bpow radix2 e <= x -> bpow radix2 e <= rnd64 x.
Proof. intros He H. rewrite <- (rnd64_exact (bpow radix2 e)) at 1 by now apply format64_bpow. now apply rnd64_le. Qed.

Lemma some_injective {A : Type} (a b : A) : Some a = Some b -> a = b.
Proof. congruence. Qed.

(* Splits a hypothesis Rabs x <= y into two inequalities. *)
Ltac split_abs H := apply Rabs_le_inv in H; destruct H as [?H ?H].

(* The operations of binary64, in the notation of this file. *)
Lemma add64 (x y : double) : is_finite (add x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (add x y) = rnd64 (B2R x + B2R y).
Proof. exact (add_finite 53 1024 _ _ x y). Qed.

Lemma sub64 (x y : double) : is_finite (sub x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (sub x y) = rnd64 (B2R x - B2R y).
Proof. exact (sub_finite 53 1024 _ _ x y). Qed.

Lemma mul64 (x y : double) : is_finite (mul x y) = true ->
  is_finite x = true /\ is_finite y = true /\ B2R (mul x y) = rnd64 (B2R x * B2R y).
Proof. exact (mul_finite 53 1024 _ _ x y). Qed.

Lemma fma64 (x y z : double) : is_finite (fma x y z) = true ->
  is_finite x = true /\ is_finite y = true /\ is_finite z = true /\
  B2R (fma x y z) = rnd64 (B2R x * B2R y + B2R z).
Proof. exact (fma_finite 53 1024 _ _ x y z). Qed.

Lemma opp64 (x : double) : is_finite (Bopp x) = true -> is_finite x = true /\ B2R (Bopp x) = - B2R x.
Proof. rewrite is_finite_Bopp, B2R_Bopp. auto. Qed.

Lemma absolute64 (x : double) : is_finite (absolute x) = true ->
  is_finite x = true /\ B2R (absolute x) = Rabs (B2R x).
Proof. intros F. split; [now apply absolute_finite with (1 := F) | now apply absolute_value]. Qed.

(* Splits the value of a finite result into those of its operands, down to variables, and rewrites it. *)
Ltac finite_parts :=
  repeat match goal with
         | H : is_finite (add _ _) = true |- _ =>
             let E := fresh "E" in apply add64 in H; destruct H as (? & ? & E); rewrite ?E in *; clear E
         | H : is_finite (sub _ _) = true |- _ =>
             let E := fresh "E" in apply sub64 in H; destruct H as (? & ? & E); rewrite ?E in *; clear E
         | H : is_finite (mul _ _) = true |- _ =>
             let E := fresh "E" in apply mul64 in H; destruct H as (? & ? & E); rewrite ?E in *; clear E
         | H : is_finite (fma _ _ _) = true |- _ =>
             let E := fresh "E" in apply fma64 in H; destruct H as (? & ? & ? & E); rewrite ?E in *; clear E
         | H : is_finite (Bopp _) = true |- _ =>
             let E := fresh "E" in apply opp64 in H; destruct H as (? & E); rewrite ?E in *; clear E
         | H : is_finite (absolute _) = true |- _ =>
             let E := fresh "E" in apply absolute64 in H; destruct H as (? & E); rewrite ?E in *; clear E
         end.

(* Unification must not unfold them to operations on integers. *)
Global Opaque add sub mul fma absolute to_single.
