(* Ziv's test as shipped decides only what is RN of the exact value. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN.
From Proofs Require Import Semantics Floats ZivSource.

Open Scope R_scope.

(* Patterns with two roundings bind the same name twice. *)
Set Warnings "-variable-collision".

(* In multiples of the least normal number N. *)
Lemma powers_of_normal :
  bpow radix2 (-1021) = 2 * normal64 /\ bpow radix2 (-1020) = 4 * normal64 /\ bpow radix2 (-1019) = 8 * normal64 /\
  bpow radix2 (-1018) = 16 * normal64 /\
  bpow radix2 (-1074) = 2 * u64 * normal64 /\ bpow radix2 (-1073) = 4 * u64 * normal64.
Proof.
  unfold normal64. rewrite u64_bpow.
  change 2 with (bpow radix2 1). change 4 with (bpow radix2 2). change 8 with (bpow radix2 3).
  change 16 with (bpow radix2 4). rewrite <- !bpow_plus. repeat split; reflexivity.
Qed.

Ltac bounds_of_normal :=
  generalize normal64_positive powers_of_normal; intros Npos (N1 & N2 & N3 & N4 & E1 & E2).

(* An end of the interval of the test of pairs, lib/numerics/ziv.hpp. *)
Lemma pair_end (x e : R) : format64 x -> format64 e -> 0 <= e ->
  let m := rnd64 (Rabs x * (1 / 4503599627370496)) in
  let s := rnd64 (e + m) in
  let w := rnd64 (s * (1 + 1 / 1125899906842624)) in
  x + e <= rnd64 (x + w).
Proof.
  intros Fx Fe He m s w. bounds_of_normal.
  set (l := Rabs x) in *.
  assert (Hl : 0 <= l) by apply Rabs_pos.
  assert (Hx : -l <= x <= l) by (apply Rabs_le_inv; apply Rle_refl).
  assert (Fm : format64 m) by apply rnd64_format.
  assert (Fs : format64 s) by apply rnd64_format.
  assert (Fw : format64 w) by apply rnd64_format.
  assert (Hm : 0 <= m) by (apply rnd64_nonnegative; lra).
  assert (Hs : 0 <= s) by (apply rnd64_nonnegative; lra).
  assert (Hw : s <= w) by (rewrite <- (rnd64_exact s Fs) at 1; apply rnd64_le; lra).
  assert (Bm := rnd64_error (l * (1 / 4503599627370496))). fold m in Bm.
  rewrite (Rabs_pos_eq (l * _)) in Bm by lra. split_abs Bm.
  assert (Bs := rnd64_sum e m Fe Fm). fold s in Bs. rewrite (Rabs_pos_eq (e + m)) in Bs by lra. split_abs Bs.
  assert (Bw := rnd64_error (s * (1 + 1 / 1125899906842624))). fold w in Bw.
  rewrite (Rabs_pos_eq (s * _)) in Bw by lra. split_abs Bw.
  assert (B := rnd64_sum x w Fx Fw). set (r := rnd64 (x + w)) in *.
  assert (T : Rabs (x + w) <= l + w).
  { eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_pos_eq w) by lra. apply Rle_refl. }
  assert (L1 : normal64 <= l -> 2 * u64 * normal64 <= m).
  { intros H. rewrite <- E1. apply rnd64_at_least; [lia|]. unfold u64 in *. lra. }
  assert (L2 : 2 * normal64 <= l -> 4 * u64 * normal64 <= m).
  { intros H. rewrite <- E2. apply rnd64_at_least; [lia|]. unfold u64 in *. lra. }
  destruct (Rle_or_lt normal64 s) as [S|S].
  - assert (Bn : Rabs (w - s * (1 + 1 / 1125899906842624)) <= u64 * Rabs (s * (1 + 1 / 1125899906842624))).
    { apply rnd64_normal. rewrite Rabs_pos_eq; lra. }
    rewrite (Rabs_pos_eq (s * _)) in Bn by lra. split_abs Bn. split_abs B.
    destruct (Rle_or_lt normal64 l) as [L|L]; [specialize (L1 L)|]; unfold u64 in *; lra.
  - assert (Es : s = e + m).
    { apply rnd64_small_sum; auto. rewrite Rabs_pos_eq; unfold u64 in *; lra. }
    destruct (Rle_or_lt normal64 l) as [L|L].
    + specialize (L1 L).
      destruct (Rle_or_lt (4 * normal64) l) as [L4|L4]; [split_abs B; unfold u64 in *; lra|].
      destruct (Rle_or_lt (2 * normal64) l) as [L3|L3].
      * specialize (L2 L3).
        assert (B' : Rabs (r - (x + w)) <= u64 * bpow radix2 (-1019 - 1)).
        { apply rnd64_below; [lia|]. unfold u64 in *. lra. }
        change (-1019 - 1)%Z with (-1020)%Z in B'. split_abs B'. unfold u64 in *. lra.
      * assert (B' : Rabs (r - (x + w)) <= u64 * bpow radix2 (-1020 - 1)).
        { apply rnd64_below; [lia|]. unfold u64 in *. lra. }
        change (-1020 - 1)%Z with (-1021)%Z in B'. split_abs B'. unfold u64 in *. lra.
    + destruct (Rle_or_lt (Rabs (x + w)) (2 * normal64)) as [X|X].
      * assert (r = x + w) by (apply rnd64_small_sum; auto). lra.
      * split_abs B. unfold u64 in *. lra.
Qed.

(* The least number whose conversion to binary32 may differ from zero is above 2^-151. *)
Lemma far_above_normal : normal64 <= u64 * (u64 * (u64 * bpow radix2 (-151))).
Proof. rewrite u64_bpow, <- !bpow_plus. apply bpow_le. lia. Qed.

(* An end of the interval for results in binary32: it is outside even before the rounding to binary64. *)
Lemma pair_end_single (y x e : R) : format64 y -> format64 x -> format64 e -> 0 <= e ->
  let m := rnd64 (Rabs x * (1 / 4503599627370496)) in
  let s := rnd64 (e + m) in
  let w0 := rnd64 (s * (1 + 1 / 1125899906842624)) in
  let w := rnd64 (w0 + rnd64 (Rabs y * (1 / 2251799813685248))) in
  bpow radix2 (-151) <= Rabs (rnd64 (y + rnd64 (x + w))) ->
  y + (x + e) <= rnd64 (y + rnd64 (x + w)).
Proof.
  intros Fy Fx Fe He m s w0 w. bounds_of_normal. generalize far_above_normal. intros Far.
  set (l := Rabs x) in *. set (h := Rabs y) in *.
  assert (Hl : 0 <= l) by apply Rabs_pos. assert (Hh : 0 <= h) by apply Rabs_pos.
  assert (Hx : -l <= x <= l) by (apply Rabs_le_inv; apply Rle_refl).
  assert (Hy : -h <= y <= h) by (apply Rabs_le_inv; apply Rle_refl).
  set (k := rnd64 (h * _)) in *. fold w.
  assert (Fm : format64 m) by apply rnd64_format. assert (Fk : format64 k) by apply rnd64_format.
  assert (Fw0 : format64 w0) by apply rnd64_format. assert (Fw : format64 w) by apply rnd64_format.
  assert (Hm : 0 <= m) by (apply rnd64_nonnegative; lra).
  assert (Hk : 0 <= k) by (apply rnd64_nonnegative; lra).
  assert (Hs : 0 <= s) by (apply rnd64_nonnegative; lra).
  assert (Hw0 : 0 <= w0) by (apply rnd64_nonnegative; lra).
  assert (Hw : 0 <= w) by (apply rnd64_nonnegative; lra).
  assert (Bm := rnd64_error (l * (1 / 4503599627370496))). fold m in Bm.
  rewrite (Rabs_pos_eq (l * _)) in Bm by lra. split_abs Bm.
  assert (Bk := rnd64_error (h * (1 / 2251799813685248))). fold k in Bk.
  rewrite (Rabs_pos_eq (h * _)) in Bk by lra. split_abs Bk.
  assert (Bs := rnd64_sum e m Fe Fm). fold s in Bs. rewrite (Rabs_pos_eq (e + m)) in Bs by lra. split_abs Bs.
  assert (Bw0 := rnd64_error (s * (1 + 1 / 1125899906842624))). fold w0 in Bw0.
  rewrite (Rabs_pos_eq (s * _)) in Bw0 by lra. split_abs Bw0.
  assert (Bw := rnd64_sum w0 k Fw0 Fk). fold w in Bw. rewrite (Rabs_pos_eq (w0 + k)) in Bw by lra. split_abs Bw.
  assert (Bt := rnd64_sum x w Fx Fw). set (t := rnd64 (x + w)) in *.
  assert (Ft : format64 t) by apply rnd64_format.
  assert (Br := rnd64_sum y t Fy Ft). set (r := rnd64 (y + t)) in *.
  assert (T : Rabs (x + w) <= l + w).
  { eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_pos_eq w) by lra. apply Rle_refl. }
  assert (Bt' : Rabs (t - (x + w)) <= u64 * (l + w)) by (unfold u64 in *; lra).
  split_abs Bt'.
  assert (R' : Rabs (y + t) <= h + (l + w) * (1 + u64)).
  { eapply Rle_trans; [apply Rabs_triang|]. fold h. apply Rplus_le_compat_l. apply Rabs_le. unfold u64 in *. lra. }
  assert (Br' : Rabs (r - (y + t)) <= u64 * (h + (l + w) * (1 + u64))).
  { eapply Rle_trans; [exact Br|]. apply Rmult_le_compat_l; [unfold u64; lra | exact R']. }
  intros Hr. apply Rabs_le_inv in Br'. apply Rabs_le_inv in R'.
  assert (Hr' : bpow radix2 (-151) <= (h + (l + w) * (1 + u64)) * (1 + u64)).
  { eapply Rle_trans; [exact Hr|]. apply Rabs_le. unfold u64 in *. lra. }
  unfold u64 in *. lra.
Qed.

(* lib/numerics/ziv.hpp: ziv_test of a pair. *)
Definition ziv_low_part : double := constant 1 (-52).
Definition ziv_slack : double := constant 1125899906842625 (-50).
Definition ziv_conversion : double := constant 1 (-51).

Lemma ziv_low_part_value : B2R ziv_low_part = 1 / 4503599627370496. Proof. value_of_constant. Qed.
Lemma ziv_slack_value : B2R ziv_slack = 1 + 1 / 1125899906842624. Proof. value_of_constant. Qed.
Lemma ziv_conversion_value : B2R ziv_conversion = 1 / 2251799813685248. Proof. value_of_constant. Qed.

Definition ziv_wide (low error : double) : double :=
  mul (add error (mul (absolute low) ziv_low_part)) ziv_slack.

Definition ziv_pair64 (high low error : double) : option double :=
  let wide := ziv_wide low error in
  let a := add high (add low (Bopp wide)) in
  let b := add high (add low wide) in
  if same_bits a b && negb (is_zero a) && is_finite a then Some a else None.

Definition ziv_pair32 (high low error : double) : option float :=
  let wide := add (ziv_wide low error) (mul (absolute high) ziv_conversion) in
  let a := to_single (add high (add low (Bopp wide))) in
  let b := to_single (add high (add low wide)) in
  if same_bits a b && negb (is_zero a) && is_finite a then Some a else None.

(* IEEE 754's result for the real number v if it is neither zero nor infinite. *)
Definition is_rounded64 (v : R) (out : double) := is_finite out = true /\ B2R out = rnd64 v /\ B2R out <> 0.
Definition is_rounded32 (v : R) (out : float) := is_finite out = true /\ B2R out = rnd32 v /\ B2R out <> 0.

Lemma within_nonnegative (v c e : R) : Rabs (v - c) <= e -> 0 <= e.
Proof. intros H. eapply Rle_trans; [apply Rabs_pos | exact H]. Qed.

(* If the comparison of both ends succeeds, they are the same finite number, which is not zero. *)
Lemma same_ends64 (a b : double) : same_bits a b && negb (is_zero a) && is_finite a = true ->
  is_finite a = true /\ is_finite b = true /\ B2R a = B2R b /\ B2R a <> 0.
Proof.
  intros D. apply andb_prop in D as [D Fa]. apply andb_prop in D as [D Z]. apply negb_true_iff in Z.
  assert (Fb := same_bits_finite _ _ _ _ D). assert (E := same_bits_value _ _ _ _ D).
  rewrite Fa in Fb. auto using not_zero_value.
Qed.

Lemma same_ends32 (a b : float) : same_bits a b && negb (is_zero a) && is_finite a = true ->
  is_finite a = true /\ is_finite b = true /\ B2R a = B2R b /\ B2R a <> 0.
Proof.
  intros D. apply andb_prop in D as [D Fa]. apply andb_prop in D as [D Z]. apply negb_true_iff in Z.
  assert (Fb := same_bits_finite _ _ _ _ D). assert (E := same_bits_value _ _ _ _ D).
  rewrite Fa in Fb. auto using not_zero_value.
Qed.

Lemma between (r : R -> R) (v a b : R) : (forall x y, x <= y -> r x <= r y) -> a <= v <= b -> r a = r b -> r a = r v.
Proof. intros M [A B] E. apply Rle_antisym; [now apply M | rewrite E; now apply M]. Qed.

Lemma ziv_wide_value (low error : double) : is_finite (ziv_wide low error) = true ->
  is_finite low = true /\ is_finite error = true /\
  B2R (ziv_wide low error) =
  rnd64 (rnd64 (B2R error + rnd64 (Rabs (B2R low) * (1 / 4503599627370496))) * (1 + 1 / 1125899906842624)).
Proof.
  unfold ziv_wide. intros F. rewrite <- ziv_slack_value, <- ziv_low_part_value. finite_parts. auto.
Qed.

(* The definitions above are those of the header: the comparison, and both ends as real numbers. *)
Lemma ziv_decides_bits64 (a b : double) :
  same_bits a b && negb (is_zero a) && is_finite a = ziv_decides (fun _ => is_finite a) (B2R a) (B2R b).
Proof. apply same_bits_real. Qed.

Lemma ziv_decides_bits32 (a b : float) :
  same_bits a b && negb (is_zero a) && is_finite a = ziv_decides (fun _ => is_finite a) (B2R a) (B2R b).
Proof. apply same_bits_real. Qed.

Lemma source_slack : rd64 (IZR 1 + IZR 1 / IZR 1125899906842624)%R = 1 + 1 / 1125899906842624.
Proof. rewrite <- ziv_slack_value. apply rnd64_exact, format_B2R. Qed.

Lemma ziv_ends64_source (high low error : double) :
  let wide := ziv_wide low error in
  let a := add high (add low (Bopp wide)) in let b := add high (add low wide) in
  is_finite a = true -> is_finite b = true -> (B2R a, B2R b) = ziv_ends64 (B2R high, B2R low) (B2R error).
Proof.
  cbv zeta. intros Fa Fb. unfold ziv_ends64, add_rn_source. cbn [fst snd Z.eqb Pos.eqb negb]. rewrite source_slack.
  apply add64 in Fa. destruct Fa as (_ & Fa & ->). apply add64 in Fb. destruct Fb as (_ & Fb & ->).
  apply add64 in Fa. destruct Fa as (_ & _ & ->). apply add64 in Fb. destruct Fb as (_ & Fw & ->).
  rewrite B2R_Bopp. destruct (ziv_wide_value _ _ Fw) as (_ & _ & ->). reflexivity.
Qed.

(* Theorem: a decided pair in binary64. *)
Theorem ziv_pair64_correct (high low error out : double) (v : R) :
  Rabs (v - (B2R high + B2R low)) <= B2R error -> ziv_pair64 high low error = Some out -> is_rounded64 v out.
Proof.
  intros Hv. assert (He := within_nonnegative _ _ _ Hv). unfold ziv_pair64. cbv zeta.
  destruct (_ && _) eqn:D; [|discriminate]. intros H0. apply some_injective in H0. subst out.
  apply same_ends64 in D. destruct D as (Fa & Fb & E & NZ).
  split; [exact Fa|]. split; [|exact NZ]. clear NZ.
  apply add64 in Fa. destruct Fa as (_ & Fa & Ea). apply add64 in Fb. destruct Fb as (_ & Fb & Eb).
  apply add64 in Fa. destruct Fa as (_ & _ & Ea'). apply add64 in Fb. destruct Fb as (_ & Fw & Eb').
  destruct (ziv_wide_value _ _ Fw) as (_ & _ & Ew).
  rewrite B2R_Bopp in Ea'. rewrite Ea' in Ea. rewrite Eb' in Eb. rewrite Ew in Ea, Eb. rewrite Ea, Eb in E. rewrite Ea.
  generalize (pair_end (B2R low) (B2R error) (format_B2R _) (format_B2R _) He). cbv zeta. intros Up.
  generalize (pair_end (- B2R low) (B2R error) (format64_opp _ (format_B2R _)) (format_B2R _) He). cbv zeta.
  rewrite Rabs_Ropp. intros Down.
  match type of Up with _ <= rnd64 (_ + ?y) => set (w := y) in * end.
  replace (- B2R low + w) with (- (B2R low + - w)) in Down by ring. rewrite rnd64_opp in Down.
  apply Rabs_le_inv in Hv. refine (between rnd64 _ _ _ rnd64_le _ E). lra.
Qed.

(* A result in binary32 that is not zero comes from a number above 2^-151. *)
Lemma rnd32_not_zero (x : R) : rnd32 x <> 0 -> bpow radix2 (-151) <= Rabs x.
Proof.
  intros H. apply Rnot_lt_le. intros L. apply H.
  destruct (Req_dec x 0) as [->|N]; [apply round_0; typeclasses eauto|].
  refine (round_N_small radix2 fexp32 _ x (mag radix2 x) _ _).
  - destruct (mag radix2 x) as [e He]. exact (He N).
  - generalize (mag_le_bpow radix2 x (-151) N L). unfold FLT_exp. lia.
Qed.

Lemma rnd32_le (x y : R) : x <= y -> rnd32 x <= rnd32 y.
Proof. apply round_le; typeclasses eauto. Qed.

Lemma ziv_ends32_source (high low error : double) :
  let wide := add (ziv_wide low error) (mul (absolute high) ziv_conversion) in
  let a := to_single (add high (add low (Bopp wide))) in let b := to_single (add high (add low wide)) in
  is_finite a = true -> is_finite b = true -> (B2R a, B2R b) = ziv_ends32 (B2R high, B2R low) (B2R error).
Proof.
  cbv zeta. intros Fa Fb. unfold ziv_ends32, add_rn_source. cbn [fst snd Z.eqb Pos.eqb negb]. rewrite source_slack.
  apply to_single_finite in Fa. destruct Fa as (Fa & ->). apply to_single_finite in Fb. destruct Fb as (Fb & ->).
  apply add64 in Fa. destruct Fa as (_ & Fa & ->). apply add64 in Fb. destruct Fb as (_ & Fb & ->).
  apply add64 in Fa. destruct Fa as (_ & _ & ->). apply add64 in Fb. destruct Fb as (_ & Fw & ->).
  rewrite B2R_Bopp. apply add64 in Fw. destruct Fw as (Fw & Fk & ->). destruct (ziv_wide_value _ _ Fw) as (_ & _ & ->).
  apply mul64 in Fk. destruct Fk as (Fh & _ & ->). apply absolute64 in Fh. destruct Fh as (_ & ->).
  rewrite ziv_conversion_value. reflexivity.
Qed.

(* Two ends around y + x, both bounded by one lemma that holds for -y and -x too, decide a float. *)
Lemma decided_single (y x w slack v : R) : Rabs (v - (y + x)) <= slack ->
  (bpow radix2 (-151) <= Rabs (rnd64 (y + rnd64 (x + w))) -> y + (x + slack) <= rnd64 (y + rnd64 (x + w))) ->
  (bpow radix2 (-151) <= Rabs (rnd64 (- y + rnd64 (- x + w))) -> - y + (- x + slack) <= rnd64 (- y + rnd64 (- x + w))) ->
  let a := rnd64 (y + rnd64 (x + - w)) in let b := rnd64 (y + rnd64 (x + w)) in rnd32 a = rnd32 b -> rnd32 a <> 0 -> rnd32 a = rnd32 v.
Proof.
  intros Hv Up Down a b E NZ. assert (NA := rnd32_not_zero _ NZ). rewrite E in NZ. specialize (Up (rnd32_not_zero _ NZ)).
  replace (- x + w) with (- (x + - w)) in Down by ring. rewrite rnd64_opp in Down.
  replace (- y + - rnd64 (x + - w)) with (- (y + rnd64 (x + - w))) in Down by ring. rewrite rnd64_opp, Rabs_Ropp in Down.
  specialize (Down NA). apply Rabs_le_inv in Hv. refine (between rnd32 _ _ _ rnd32_le _ E). unfold a, b. lra.
Qed.

(* Theorem: a decided pair in binary32, which is rounded twice on the way. *)
Theorem ziv_pair32_correct (high low error : double) (out : float) (v : R) :
  Rabs (v - (B2R high + B2R low)) <= B2R error -> ziv_pair32 high low error = Some out -> is_rounded32 v out.
Proof.
  intros Hv. assert (He := within_nonnegative _ _ _ Hv). unfold ziv_pair32. cbv zeta.
  destruct (_ && _) eqn:D; [|discriminate]. intros H0. apply some_injective in H0. subst out.
  apply same_ends32 in D. destruct D as (Fa & Fb & E & NZ).
  split; [exact Fa|]. split; [|exact NZ].
  apply to_single_finite in Fa. destruct Fa as (Fa & Sa). apply to_single_finite in Fb. destruct Fb as (Fb & Sb).
  apply add64 in Fa. destruct Fa as (_ & Fa & Ea). apply add64 in Fb. destruct Fb as (_ & Fb & Eb).
  apply add64 in Fa. destruct Fa as (_ & _ & Ea'). apply add64 in Fb. destruct Fb as (_ & Fw & Eb').
  apply add64 in Fw. destruct Fw as (Fw & Fk & Ew'). destruct (ziv_wide_value _ _ Fw) as (_ & _ & Ew).
  apply mul64 in Fk. destruct Fk as (Fh & _ & Ek). apply absolute64 in Fh. destruct Fh as (_ & Eh).
  rewrite Eh, ziv_conversion_value in Ek. rewrite Ek, Ew in Ew'. rewrite B2R_Bopp in Ea'.
  rewrite Ew' in Ea', Eb'. rewrite Ea' in Ea. rewrite Eb' in Eb.
  rewrite Sa in NZ |- *. rewrite Sa, Sb in E. rewrite Ea in *. rewrite Eb in *.
  refine (decided_single _ _ _ _ v Hv _ _ E NZ); [now apply pair_end_single; try apply format_B2R|].
  assert (Down := pair_end_single (- B2R high) (- B2R low) (B2R error) (format64_opp _ (format_B2R _)) (format64_opp _ (format_B2R _)) (format_B2R _) He).
  cbv zeta in Down. now rewrite !(Rabs_Ropp (B2R _)) in Down.
Qed.
