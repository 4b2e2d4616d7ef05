(* The return of a certified unknown to the caller's scale and type (lib/certified/results.hpp: scaled, rounded_up). *)
From Coq Require Import ZArith Reals Lra Lia Bool Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource Outward CertifiedSource Linear Certified.

Open Scope R_scope.

Notation rnd32 := (round radix2 (FLT_exp (-149) 24) ZnearestE).
Notation number32 := (number 24 (-149)).
Definition infinity32 : Z := 2139095040.
Definition number_of32 (n : Z) : option R := if (n <? infinity32)%Z then Some (number32 n) else None.

Lemma scaled_format (x : R) (n : Z) : format64 x -> (0 <= n)%Z -> format64 (x * pow n).
Proof.
  intros Fx Hn. apply FLT_format_generic in Fx; [|reflexivity]. destruct Fx as [(m, f) Em Hm Hf]. cbn [Fnum Fexp] in *. apply generic_format_FLT. exists (Float radix2 m (f + n)); [|exact Hm | cbn [Fexp]; lia].
  rewrite Em. unfold F2R. cbn [Fnum Fexp]. rewrite bpow_plus. ring.
Qed.

(* What a scaling loses to underflow. *)
Lemma scaling_error (x : R) (e : Z) : format64 x -> rd64 (x * pow e) = x * pow e \/ Rabs (rd64 (x * pow e) - x * pow e) <= pow (-1074).
Proof.
  intros Fx. destruct (Rle_or_lt (pow (-1022)) (Rabs x * pow e)) as [L|L].
  - left. apply rnd64_exact, format64_scaled; [exact Fx | now right].
  - right. assert (H : Rabs (x * pow e) < pow (-1022)) by (rewrite Rabs_mult, (Rabs_pos_eq (pow e)) by apply bpow_ge_0; exact L).
    assert (B := rnd64_below (-1021) (x * pow e) ltac:(lia) ltac:(eapply Rlt_trans; [exact H | apply bpow_lt; lia])). eapply Rle_trans; [exact B|].
    rewrite u64_bpow, <- bpow_plus. apply bpow_le. lia.
Qed.

Lemma scaling_exact (x : R) (e : Z) : format64 x -> rd64 (rd64 (x * pow e) * pow (- e)) = x -> rd64 (x * pow e) = x * pow e.
Proof.
  intros Fx E. destruct (Z.le_gt_cases 0 e) as [He|He]; [apply rnd64_exact; now apply scaled_format|].
  assert (Q : rd64 (rd64 (x * pow e) * pow (- e)) = rd64 (x * pow e) * pow (- e)) by (apply rnd64_exact, scaled_format; [apply rnd64_format | lia]). rewrite Q in E.
  assert (One : pow (- e) * pow e = 1) by (rewrite <- bpow_plus; now replace (- e + e)%Z with 0%Z by lia). rewrite <- E at 2. rewrite Rmult_assoc, One. ring.
Qed.

(* The difference between a double and the nearest float is a double. *)
Lemma float_error_format (x : R) : format64 x -> format64 (x - rd32 x).
Proof.
  intros Fx. destruct (Req_dec x 0) as [->|N]; [unfold rd32; rewrite round_0, Rminus_0_r by typeclasses eauto; apply generic_format_0|].
  set (f := rd32 x). set (c := cexp radix2 (FLT_exp (-1074) 53) x). set (g := cexp radix2 (FLT_exp (-149) 24) x).
  assert (C : (c <= g)%Z) by (unfold c, g, cexp, FLT_exp; lia).
  (* both are multiples of 2^c *)
  assert (Ex : x = IZR (Ztrunc (scaled_mantissa radix2 (FLT_exp (-1074) 53) x)) * pow c) by exact Fx. set (mx := Ztrunc _) in Ex.
  assert (Ef : f = IZR (ZnearestE (scaled_mantissa radix2 (FLT_exp (-149) 24) x)) * pow g) by reflexivity. set (mf := ZnearestE _) in Ef.
  assert (Ed : x - f = IZR (mx - mf * 2 ^ (g - c)) * pow c).
  { rewrite minus_IZR, mult_IZR, (IZR_Zpower radix2) by lia. replace (pow g) with (pow (g - c) * pow c) in Ef by (rewrite <- bpow_plus; f_equal; lia). rewrite Ef, Ex at 1. ring. }
  assert (Small : Rabs (x - f) <= Rabs x).
  { rewrite Rabs_minus_sym. assert (H := round_N_pt radix2 (FLT_exp (-149) 24) (fun x => negb (Z.even x)) x). destruct H as (_ & H). specialize (H 0 (generic_format_0 _ _)). change (Rabs (f - x) <= Rabs (0 - x)) in H.
    now rewrite Rminus_0_l, Rabs_Ropp in H. }
  apply generic_format_FLT. exists (Float radix2 (mx - mf * 2 ^ (g - c)) c); [exact Ed| |unfold c, cexp, FLT_exp; cbn [Fexp]; lia].
  cbn [Fnum]. change (Zpower radix2 53) with (2 ^ 53)%Z. apply lt_IZR. rewrite abs_IZR.
  assert (P := bpow_gt_0 radix2 c). apply Rmult_lt_reg_r with (pow c); [exact P|]. rewrite <- (Rabs_pos_eq (pow c)) at 1 by lra. rewrite <- Rabs_mult, <- Ed.
  eapply Rle_lt_trans; [exact Small|]. eapply Rlt_le_trans; [apply bpow_mag_gt|].
  change (IZR (2 ^ 53)) with (pow 53). rewrite <- bpow_plus. apply bpow_le. unfold c, cexp, FLT_exp. lia.
Qed.

Section Bits.
Variables bits_of bits_of32 : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.
Hypothesis bits_right32 : forall x, generic_format radix2 (FLT_exp (-149) 24) x -> 0 <= x < pow 128 -> (0 <= bits_of32 x < infinity32)%Z /\ number32 (bits_of32 x) = x.

(* The radius in double precision. *)
Lemma wide_radius (center rho value : R) (e : Z) (moved x : R) : format64 center -> format64 rho -> 0 <= rho -> Rabs (value - center) <= rho ->
  xscale (Some center) e = Some moved -> format64 (moved - x) ->
  let r := scale_up bits_of number_of (Some rho) e in
  let r := if negb (xeq (xscale (Some moved) (- e)) (Some center)) then add_up bits_of number_of r (Some least_subnormal) else r in
  let rounded := xabs (xsub (Some moved) (Some x)) in
  let r := if xlt (Some (IZR 0)) rounded then add_up bits_of number_of r rounded else r in
  bound r (Rabs (value * pow e - x)).
Proof.
  intros Fc Fr R0 H Em Fd. cbv zeta. apply fits_some in Em as (Em & Lm). assert (P := bpow_gt_0 radix2 e).
  assert (B0 := scale_up_bounds bits_of bits_right rho e Fr R0). set (r0 := scale_up _ _ _ _) in *. clearbody r0.
  assert (V : Rabs (value * pow e - center * pow e) <= rho * pow e).
  { rewrite <- Rmult_minus_distr_r, Rabs_mult, (Rabs_pos_eq (pow e)) by lra. apply Rmult_le_compat_r; lra. }
  assert (B1 : bound (if negb (xeq (xscale (Some moved) (- e)) (Some center)) then add_up bits_of number_of r0 (Some least_subnormal) else r0) (Rabs (value * pow e - moved))).
  { assert (T : Rabs (value * pow e - moved) <= rho * pow e + Rabs (moved - center * pow e)).
    { replace (value * pow e - moved) with ((value * pow e - center * pow e) + - (moved - center * pow e)) by ring. eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp. lra. }
    destruct (xeq (xscale (Some moved) (- e)) (Some center)) eqn:Q; cbn [negb].
    - apply (bound_weaker _ _ _ B0). unfold xscale in Q. destruct (fits (rd64 (moved * pow (- e)))) as [back|] eqn:Eb; [|discriminate]. cbn [xeq] in Q. destruct (Req_bool_spec back center) as [E|]; [|discriminate].
      apply fits_some in Eb as (Eb & _). rewrite E in Eb. assert (X := scaling_exact center e Fc ltac:(rewrite <- Em; now symmetry)). rewrite <- Em in X. replace (moved - center * pow e) with 0 in T by lra. rewrite Rabs_R0, Rplus_0_r in T. exact T.
    - apply bound_weaker with (rho * pow e + pow (-1074)); [apply (add_bound bits_of bits_right); [exact B0 | apply least_bound]|].
      eapply Rle_trans; [exact T|]. apply Rplus_le_compat_l. destruct (scaling_error center e Fc) as [X|X].
      + rewrite Em, X. replace (center * pow e - center * pow e) with 0 by ring. rewrite Rabs_R0. apply bpow_ge_0.
      + now rewrite Em. }
  set (r1 := if negb _ then _ else r0) in *. clearbody r1.
  assert (T : Rabs (value * pow e - x) <= Rabs (value * pow e - moved) + Rabs (moved - x)).
  { replace (value * pow e - x) with ((value * pow e - moved) + (moved - x)) by ring. apply Rabs_triang. }
  unfold xsub, xtwo. rewrite (rnd64_exact _ Fd : rd64 (moved - x) = moved - x). unfold fits. destruct (Rlt_bool_spec (Rabs (moved - x)) (pow 1024)) as [L|L].
  - cbn [xabs xlt]. destruct (Rlt_bool_spec (IZR 0) (Rabs (moved - x))) as [L0|L0].
    + apply (bound_weaker _ (Rabs (value * pow e - moved) + Rabs (moved - x))); [|exact T]. apply (add_bound bits_of bits_right); [exact B1|]. apply bound_exact; [now apply generic_format_abs | apply Rabs_pos].
    + apply (bound_weaker _ _ _ B1). lra.
  - cbn [xabs xlt]. unfold OutwardSource.add_up, xadd, xtwo. destruct r1; exact I.
Qed.

(* Theorem: from a ball with the unknown, the ball in the caller's scale, for doubles and for floats: it holds 2^e times the unknown, if its radius is a number. *)
Theorem scaled_ball_holds (center rho value : R) (e : Z) : format64 center -> format64 rho -> 0 <= rho -> Rabs (value - center) <= rho ->
  (let (x, radius) := scaled_ball64 bits_of number_of (Some center) (Some rho) e in holds (radius, x) (value * pow e)) /\
  (let (x, radius) := scaled_ball32 bits_of number_of bits_of32 number_of32 (Some center) (Some rho) e in holds (radius, x) (value * pow e)).
Proof.
  intros Fc Fr R0 H. unfold scaled_ball64, scaled_ball32, rounded_up64, rounded_up32. change (xlt (Some rho) None) with true. cbn [negb orb]. destruct (xscale (Some center) e) as [moved|] eqn:Em; cbn [xfinite xfloat negb]; [|split; exact I].
  assert (Fm : format64 moved) by (apply fits_some in Em as (-> & _); apply rnd64_format). split.
  - assert (B := wide_radius center rho value e moved moved Fc Fr R0 H Em ltac:(rewrite Rminus_diag_eq by reflexivity; apply generic_format_0)). cbv zeta in *. match type of B with bound ?t _ => set (r := t) in * end. clearbody r.
    destruct r as [r|]; [|exact I]. cbn [xlt]. rewrite Rlt_bool_false by lra. apply B.
  - destruct (Rlt_bool_spec (Rabs (rd32 moved)) (pow 128)) as [L|L]; cbn [xfinite negb]; [|exact I].
    assert (B := wide_radius center rho value e moved (rd32 moved) Fc Fr R0 H Em (float_error_format moved Fm)). cbv zeta in *. match type of B with bound ?t _ => set (r := t) in * end. clearbody r.
    destruct r as [r|]; [|exact I]. destruct B as (Fr' & P & B). cbn [xfloat]. destruct (Rlt_bool_spec (Rabs (rd32 r)) (pow 128)) as [L2|L2]; [|exact I]. cbn [xlt].
    destruct (Rlt_bool_spec (rd32 r) r) as [L3|L3]; [|unfold holds; lra]. cbn [xbits].
    assert (Q : 0 <= rd32 r) by (rewrite <- (round_0 radix2 (FLT_exp (-149) 24) ZnearestE); apply round_le; [typeclasses eauto | typeclasses eauto | exact P]). rewrite Rabs_pos_eq in L2 by exact Q.
    destruct (bits_right32 (rd32 r) ltac:(apply generic_format_round; typeclasses eauto) (conj Q L2)) as (Hb & V). change (wrap 32 1) with 1%Z. assert (Hb' := Hb). unfold infinity32 in Hb'.
    rewrite wrap_small by (change (2 ^ 32)%Z with 4294967296%Z; lia). unfold number_of32. destruct (Z.ltb_spec (bits_of32 (rd32 r) + 1) infinity32) as [L4|L4]; [|exact I].
    assert (N := next_up 24 (-149) (bits_of32 (rd32 r)) r ltac:(lia) (proj1 Hb) ltac:(symmetry; exact V)). unfold holds. lra.
Qed.

End Bits.
