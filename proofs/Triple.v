(* Ziv's test of a sum of three parts, lib/numerics/triple_sum.hpp: round_triple. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core BinarySingleNaN.
From Proofs Require Import Semantics Floats ZivSource Ziv Eft.

Open Scope R_scope.

(* Patterns with two roundings bind the same name twice. *)
Set Warnings "-variable-collision".

Lemma triple_end (x e z : R) : format64 x -> format64 e -> format64 z -> 0 <= e ->
  let q := rnd64 (e + Rabs z) in
  let p := rnd64 (q * (1 + 1 / 1125899906842624)) in
  let w := rnd64 (p + rnd64 (Rabs x * (1 / 2251799813685248))) in
  x + (e + Rabs z) <= rnd64 (x + w).
Proof.
  intros Fx Fe Fz He q p w. bounds_of_normal.
  assert (Fz' : format64 (Rabs z)) by now apply generic_format_abs.
  set (l := Rabs x) in *. set (z' := Rabs z) in *.
  assert (Hl : 0 <= l) by apply Rabs_pos. assert (Hz : 0 <= z') by apply Rabs_pos.
  assert (Hx : -l <= x <= l) by (apply Rabs_le_inv; apply Rle_refl).
  set (m := rnd64 (l * _)) in *. fold w.
  assert (Fm : format64 m) by apply rnd64_format. assert (Fq : format64 q) by apply rnd64_format.
  assert (Fp : format64 p) by apply rnd64_format. assert (Fw : format64 w) by apply rnd64_format.
  assert (Hm : 0 <= m) by (apply rnd64_nonnegative; lra).
  assert (Hq : 0 <= q) by (apply rnd64_nonnegative; lra).
  assert (Hp : q <= p) by (rewrite <- (rnd64_exact q Fq) at 1; apply rnd64_le; lra).
  assert (Hw : p <= w) by (rewrite <- (rnd64_exact p Fp) at 1; apply rnd64_le; lra).
  assert (Bm := rnd64_error (l * (1 / 2251799813685248))). fold m in Bm.
  rewrite (Rabs_pos_eq (l * _)) in Bm by lra. split_abs Bm.
  assert (Bq := rnd64_sum e z' Fe Fz'). fold q in Bq. rewrite (Rabs_pos_eq (e + z')) in Bq by lra. split_abs Bq.
  assert (Bp := rnd64_error (q * (1 + 1 / 1125899906842624))). fold p in Bp.
  rewrite (Rabs_pos_eq (q * _)) in Bp by lra. split_abs Bp.
  assert (Bw := rnd64_sum p m Fp Fm). fold w in Bw. rewrite (Rabs_pos_eq (p + m)) in Bw by lra. split_abs Bw.
  assert (T : Rabs (x + w) <= l + w).
  { eapply Rle_trans; [apply Rabs_triang|]. rewrite (Rabs_pos_eq w) by lra. apply Rle_refl. }
  assert (B := rnd64_sum x w Fx Fw). set (r := rnd64 (x + w)) in *.
  destruct (Rle_or_lt normal64 q) as [S|S].
  - assert (Bn : Rabs (p - q * (1 + 1 / 1125899906842624)) <= u64 * Rabs (q * (1 + 1 / 1125899906842624))).
    { apply rnd64_normal. rewrite Rabs_pos_eq; lra. }
    rewrite (Rabs_pos_eq (q * _)) in Bn by lra. split_abs Bn. split_abs B.
    destruct (Rle_or_lt normal64 l) as [L|L]; unfold u64 in *; lra.
  - assert (Eq : q = e + z').
    { apply rnd64_small_sum; auto. rewrite Rabs_pos_eq; unfold u64 in *; lra. }
    destruct (Rle_or_lt (Rabs (x + w)) (2 * normal64)) as [X|X].
    + assert (r = x + w) by (apply rnd64_small_sum; auto). lra.
    + destruct (Rle_or_lt (p + m) (2 * normal64)) as [Y|Y].
      * assert (w = p + m) by (apply rnd64_small_sum; auto; rewrite Rabs_pos_eq; lra).
        split_abs B. unfold u64 in *. destruct (Rle_or_lt normal64 l) as [L|L]; lra.
      * split_abs B. unfold u64 in *. lra.
Qed.

Lemma triple_end_single (y x e z : R) : format64 y -> format64 x -> format64 e -> format64 z -> 0 <= e ->
  let q := rnd64 (e + Rabs z) in
  let p := rnd64 (q * (1 + 1 / 1125899906842624)) in
  let w0 := rnd64 (p + rnd64 (Rabs x * (1 / 2251799813685248))) in
  let w := rnd64 (w0 + rnd64 (Rabs y * (1 / 2251799813685248))) in
  bpow radix2 (-151) <= Rabs (rnd64 (y + rnd64 (x + w))) ->
  y + (x + (e + Rabs z)) <= rnd64 (y + rnd64 (x + w)).
Proof.
  intros Fy Fx Fe Fz He q p w0 w. bounds_of_normal. generalize far_above_normal. intros Far.
  assert (Fz' : format64 (Rabs z)) by now apply generic_format_abs.
  set (l := Rabs x) in *. set (z' := Rabs z) in *. set (h := Rabs y) in *.
  assert (Hl : 0 <= l) by apply Rabs_pos. assert (Hz : 0 <= z') by apply Rabs_pos. assert (Hh : 0 <= h) by apply Rabs_pos.
  assert (Hx : -l <= x <= l) by (apply Rabs_le_inv; apply Rle_refl).
  assert (Hy : -h <= y <= h) by (apply Rabs_le_inv; apply Rle_refl).
  set (m := rnd64 (l * _)) in *. set (k := rnd64 (h * _)) in *. fold w0 in w. fold w.
  assert (Fm : format64 m) by apply rnd64_format. assert (Fk : format64 k) by apply rnd64_format.
  assert (Fp : format64 p) by apply rnd64_format. assert (Fw0 : format64 w0) by apply rnd64_format.
  assert (Fw : format64 w) by apply rnd64_format.
  assert (Hm : 0 <= m) by (apply rnd64_nonnegative; lra).
  assert (Hk : 0 <= k) by (apply rnd64_nonnegative; lra).
  assert (Hq : 0 <= q) by (apply rnd64_nonnegative; lra).
  assert (Hp : 0 <= p) by (apply rnd64_nonnegative; lra).
  assert (Hw0 : 0 <= w0) by (apply rnd64_nonnegative; lra).
  assert (Hw : 0 <= w) by (apply rnd64_nonnegative; lra).
  assert (Bm := rnd64_error (l * (1 / 2251799813685248))). fold m in Bm.
  rewrite (Rabs_pos_eq (l * _)) in Bm by lra. split_abs Bm.
  assert (Bk := rnd64_error (h * (1 / 2251799813685248))). fold k in Bk.
  rewrite (Rabs_pos_eq (h * _)) in Bk by lra. split_abs Bk.
  assert (Bq := rnd64_sum e z' Fe Fz'). fold q in Bq. rewrite (Rabs_pos_eq (e + z')) in Bq by lra. split_abs Bq.
  assert (Bp := rnd64_error (q * (1 + 1 / 1125899906842624))). fold p in Bp.
  rewrite (Rabs_pos_eq (q * _)) in Bp by lra. split_abs Bp.
  assert (Bw0 := rnd64_sum p m Fp Fm). fold w0 in Bw0. rewrite (Rabs_pos_eq (p + m)) in Bw0 by lra. split_abs Bw0.
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

(* A sum in three parts with a bound of its error, and the numbers that it may stand for. *)
Record triple := { a1 : double; a2 : double; a3 : double; error : double }.
Definition triple_holds (s : triple) (v : R) := Rabs (v - (B2R (a1 s) + B2R (a2 s) + B2R (a3 s))) <= B2R (error s).

Definition triple_conversion : double := constant 1 (-51).
Definition triple_slack : double := constant 1125899906842625 (-50).
Lemma triple_conversion_value : B2R triple_conversion = 1 / 2251799813685248. Proof. value_of_constant. Qed.
Lemma triple_slack_value : B2R triple_slack = 1 + 1 / 1125899906842624. Proof. value_of_constant. Qed.

(* The parts w and z.low of round_triple. *)
Definition triple_parts (s : triple) : pair * double :=
  let x := two_sum (a2 s) (a3 s) in
  let y := two_sum (a1 s) (high x) in
  let z := two_sum (low y) (low x) in
  (two_sum (high y) (high z), low z).

Definition triple_error (s : triple) : double :=
  let (w, z_low) := triple_parts s in
  add (mul (add (error s) (absolute z_low)) triple_slack) (mul (absolute (low w)) triple_conversion).

Definition round_triple64 (s : triple) : option double :=
  let w := fst (triple_parts s) in
  let error := triple_error s in
  let a := add (high w) (add (low w) (Bopp error)) in
  let b := add (high w) (add (low w) error) in
  if same_bits a b && negb (is_zero a) && is_finite a then Some a else None.

Definition round_triple32 (s : triple) : option float :=
  let w := fst (triple_parts s) in
  let error := add (triple_error s) (mul (absolute (high w)) triple_conversion) in
  let a := to_single (add (high w) (add (low w) (Bopp error))) in
  let b := to_single (add (high w) (add (low w) error)) in
  if same_bits a b && negb (is_zero a) && is_finite a then Some a else None.

Lemma triple_error_value (s : triple) : is_finite (triple_error s) = true ->
  let w := fst (triple_parts s) in let z := snd (triple_parts s) in
  B2R (triple_error s) =
    rnd64 (rnd64 (rnd64 (B2R (error s) + Rabs (B2R z)) * (1 + 1 / 1125899906842624)) +
           rnd64 (Rabs (B2R (low w)) * (1 / 2251799813685248))) /\
  B2R (high w) + B2R (low w) + B2R z = B2R (a1 s) + B2R (a2 s) + B2R (a3 s).
Proof.
  unfold triple_error, triple_parts. set (x := two_sum (a2 s) (a3 s)). set (y := two_sum (a1 s) (high x)).
  set (z := two_sum (low y) (low x)). set (w := two_sum (high y) (high z)). cbv zeta. cbn [fst snd].
  intros F.
  apply add64 in F. destruct F as (F1 & F2 & E). apply mul64 in F1. destruct F1 as (F1 & _ & E1).
  apply add64 in F1. destruct F1 as (_ & F1 & E3). apply absolute64 in F1. destruct F1 as (Fz & E4).
  apply mul64 in F2. destruct F2 as (F2 & _ & E5). apply absolute64 in F2. destruct F2 as (Fw & E6).
  rewrite triple_slack_value in E1. rewrite triple_conversion_value in E5.
  split; [now rewrite E, E1, E3, E4, E5, E6|].
  destruct (two_sum_exact _ _ Fw) as (_ & _ & _ & _ & W). fold w in W.
  destruct (two_sum_exact _ _ Fz) as (Fy & Fx & _ & _ & Z). fold z in Z.
  destruct (two_sum_exact _ _ Fy) as (_ & _ & _ & _ & Y). fold y in Y.
  destruct (two_sum_exact _ _ Fx) as (_ & _ & _ & _ & X). fold x in X. lra.
Qed.

(* The definitions above are those of the header. *)
Lemma triple_parts_source (s : triple) : is_finite (triple_error s) = true ->
  let x := two_sum_source (B2R (a2 s)) (B2R (a3 s)) in
  let y := two_sum_source (B2R (a1 s)) (fst x) in
  let z := two_sum_source (snd y) (snd x) in
  two_sum_source (fst y) (fst z) = (B2R (high (fst (triple_parts s))), B2R (low (fst (triple_parts s)))) /\
  snd z = B2R (snd (triple_parts s)).
Proof.
  unfold triple_error, triple_parts. set (x := two_sum (a2 s) (a3 s)). set (y := two_sum (a1 s) (high x)).
  set (z := two_sum (low y) (low x)). set (w := two_sum (high y) (high z)). cbv zeta. cbn [fst snd].
  intros F.
  apply add64 in F. destruct F as (F1 & F2 & _). apply mul64 in F1. destruct F1 as (F1 & _).
  apply add64 in F1. destruct F1 as (_ & F1 & _). apply absolute64 in F1. destruct F1 as (Fz & _).
  apply mul64 in F2. destruct F2 as (F2 & _). apply absolute64 in F2. destruct F2 as (Fw & _).
  destruct (two_sum_exact _ _ Fz) as (Fy & Fx & _).
  rewrite <- (two_sum_source_value _ _ Fx). fold x. cbn [fst snd].
  rewrite <- (two_sum_source_value _ _ Fy). fold y. cbn [fst snd].
  rewrite <- (two_sum_source_value _ _ Fz). fold z. cbn [fst snd].
  rewrite <- (two_sum_source_value _ _ Fw). fold w. auto.
Qed.

Lemma triple_decides_bits64 (a b : double) :
  same_bits a b && negb (is_zero a) && is_finite a = triple_decides (fun _ => is_finite a) (B2R a) (B2R b).
Proof.
  rewrite same_bits_real. unfold triple_decides.
  destruct (Req_bool (B2R a) (B2R b)), (Req_bool (B2R a) 0), (is_finite a); reflexivity.
Qed.

Lemma triple_ends64_source (s : triple) :
  let w := fst (triple_parts s) in
  let error := triple_error s in
  let a := add (high w) (add (low w) (Bopp error)) in
  let b := add (high w) (add (low w) error) in
  is_finite a = true -> is_finite b = true ->
  (B2R a, B2R b) = triple_ends64 (B2R (a1 s)) (B2R (a2 s)) (B2R (a3 s)) (B2R (Triple.error s)).
Proof.
  cbv zeta. intros Fa Fb.
  apply add64 in Fa. destruct Fa as (_ & Fa & ->). apply add64 in Fb. destruct Fb as (_ & Fb & ->).
  apply add64 in Fa. destruct Fa as (_ & _ & ->). apply add64 in Fb. destruct Fb as (_ & Fw & ->).
  rewrite B2R_Bopp. destruct (triple_error_value _ Fw) as (-> & _).
  unfold triple_ends64, add_rn_source. destruct (triple_parts_source _ Fw) as (-> & ->).
  cbn [fst snd Z.eqb Pos.eqb negb]. rewrite source_slack. reflexivity.
Qed.

(* Theorem: a decided triple in binary64. *)
Theorem round_triple64_correct (s : triple) (out : double) (v : R) :
  triple_holds s v -> round_triple64 s = Some out -> is_rounded64 v out.
Proof.
  unfold triple_holds. intros Hv. assert (He := within_nonnegative _ _ _ Hv). unfold round_triple64. cbv zeta.
  destruct (_ && _) eqn:D; [|discriminate]. intros H0. apply some_injective in H0. subst out.
  apply same_ends64 in D. destruct D as (Fa & Fb & E & NZ).
  split; [exact Fa|]. split; [|exact NZ]. clear NZ.
  apply add64 in Fa. destruct Fa as (_ & Fa & Ea). apply add64 in Fb. destruct Fb as (_ & Fb & Eb).
  apply add64 in Fa. destruct Fa as (_ & _ & Ea'). apply add64 in Fb. destruct Fb as (_ & Fw & Eb').
  destruct (triple_error_value _ Fw) as (Ew & S).
  set (w := fst (triple_parts s)) in *. set (z := snd (triple_parts s)) in *.
  rewrite B2R_Bopp in Ea'. rewrite Ea' in Ea. rewrite Eb' in Eb. rewrite Ew in Ea, Eb. rewrite Ea, Eb in E. rewrite Ea.
  generalize (triple_end (B2R (low w)) (B2R (error s)) (B2R z) (format_B2R _) (format_B2R _) (format_B2R _) He).
  cbv zeta. intros Up.
  generalize (triple_end (- B2R (low w)) (B2R (error s)) (B2R z) (format64_opp _ (format_B2R _)) (format_B2R _)
                (format_B2R _) He). cbv zeta. rewrite Rabs_Ropp. intros Down.
  match type of Up with _ <= rnd64 (_ + ?y) => set (e := y) in * end.
  replace (- B2R (low w) + e) with (- (B2R (low w) + - e)) in Down by ring. rewrite rnd64_opp in Down.
  assert (Hz : - Rabs (B2R z) <= B2R z <= Rabs (B2R z)) by (apply Rabs_le_inv; apply Rle_refl).
  apply Rabs_le_inv in Hv. refine (between rnd64 _ _ _ rnd64_le _ E). lra.
Qed.

Lemma triple_ends32_source (s : triple) :
  let w := fst (triple_parts s) in
  let error := add (triple_error s) (mul (absolute (high w)) triple_conversion) in
  let a := to_single (add (high w) (add (low w) (Bopp error))) in
  let b := to_single (add (high w) (add (low w) error)) in
  is_finite a = true -> is_finite b = true ->
  (B2R a, B2R b) = triple_ends32 (B2R (a1 s)) (B2R (a2 s)) (B2R (a3 s)) (B2R (Triple.error s)).
Proof.
  cbv zeta. intros Fa Fb.
  apply to_single_finite in Fa. destruct Fa as (Fa & ->). apply to_single_finite in Fb. destruct Fb as (Fb & ->).
  apply add64 in Fa. destruct Fa as (_ & Fa & ->). apply add64 in Fb. destruct Fb as (_ & Fb & ->).
  apply add64 in Fa. destruct Fa as (_ & _ & ->). apply add64 in Fb. destruct Fb as (_ & Fw & ->).
  rewrite B2R_Bopp. apply add64 in Fw. destruct Fw as (Fw & Fk & ->). destruct (triple_error_value _ Fw) as (-> & _).
  apply mul64 in Fk. destruct Fk as (Fh & _ & ->). apply absolute64 in Fh. destruct Fh as (_ & ->).
  rewrite triple_conversion_value. unfold triple_ends32, add_rn_source. destruct (triple_parts_source _ Fw) as (-> & ->).
  cbn [fst snd Z.eqb Pos.eqb negb]. rewrite source_slack. reflexivity.
Qed.

(* Theorem: a decided triple in binary32. *)
Theorem round_triple32_correct (s : triple) (out : float) (v : R) :
  triple_holds s v -> round_triple32 s = Some out -> is_rounded32 v out.
Proof.
  unfold triple_holds. intros Hv. assert (He := within_nonnegative _ _ _ Hv). unfold round_triple32. cbv zeta.
  destruct (_ && _) eqn:D; [|discriminate]. intros H0. apply some_injective in H0. subst out.
  apply same_ends32 in D. destruct D as (Fa & Fb & E & NZ).
  split; [exact Fa|]. split; [|exact NZ].
  apply to_single_finite in Fa. destruct Fa as (Fa & Sa). apply to_single_finite in Fb. destruct Fb as (Fb & Sb).
  apply add64 in Fa. destruct Fa as (_ & Fa & Ea). apply add64 in Fb. destruct Fb as (_ & Fb & Eb).
  apply add64 in Fa. destruct Fa as (_ & _ & Ea'). apply add64 in Fb. destruct Fb as (_ & Fw & Eb').
  apply add64 in Fw. destruct Fw as (Fw & Fk & Ew'). destruct (triple_error_value _ Fw) as (Ew & S).
  set (w := fst (triple_parts s)) in *. set (z := snd (triple_parts s)) in *.
  apply mul64 in Fk. destruct Fk as (Fh & _ & Ek). apply absolute64 in Fh. destruct Fh as (_ & Eh).
  rewrite Eh, triple_conversion_value in Ek. rewrite Ek, Ew in Ew'. rewrite B2R_Bopp in Ea'.
  rewrite Ew' in Ea', Eb'. rewrite Ea' in Ea. rewrite Eb' in Eb.
  rewrite Sa in NZ |- *. rewrite Sa, Sb in E. rewrite Ea in *. rewrite Eb in *.
  assert (Hz : Rabs (v - (B2R (high w) + B2R (low w))) <= B2R (error s) + Rabs (B2R z)).
  { apply Rabs_le_inv in Hv. assert (Bz : - Rabs (B2R z) <= B2R z <= Rabs (B2R z)) by (apply Rabs_le_inv; apply Rle_refl). apply Rabs_le. lra. }
  refine (decided_single _ _ _ _ v Hz _ _ E NZ); [now apply triple_end_single; try apply format_B2R|].
  assert (Down := triple_end_single (- B2R (high w)) (- B2R (low w)) (B2R (error s)) (B2R z) (format64_opp _ (format_B2R _)) (format64_opp _ (format_B2R _)) (format_B2R _) (format_B2R _) He).
  cbv zeta in Down. now rewrite !(Rabs_Ropp (B2R (_ w))) in Down.
Qed.

(* lib/numerics/triple_sum.hpp: triple_add. *)
Definition triple_add (s t : triple) : triple :=
  let first := two_sum (a1 s) (a1 t) in
  let second := two_sum (a2 s) (a2 t) in
  let third := two_sum (high second) (low first) in
  let rest := two_sum (low second) (low third) in
  let tail := two_sum (a3 t) (high rest) in
  let last := two_sum (a3 s) (high tail) in
  let rounding := add (add (absolute (low rest)) (absolute (low tail))) (absolute (low last)) in
  {| a1 := high first; a2 := high third; a3 := high last;
     error := mul (add (add (error s) (error t)) rounding) triple_slack |}.

(* The definition above is that of the header. *)
Lemma triple_add_source_value (s t : triple) : is_finite (error (triple_add s t)) = true ->
  (B2R (a1 (triple_add s t)), B2R (a2 (triple_add s t)), B2R (a3 (triple_add s t)), B2R (error (triple_add s t))) =
  triple_add_source (B2R (a1 s)) (B2R (a2 s)) (B2R (a3 s)) (B2R (error s))
                    (B2R (a1 t)) (B2R (a2 t)) (B2R (a3 t)) (B2R (error t)).
Proof.
  unfold triple_add. cbn [a1 a2 a3 error].
  set (first := two_sum (a1 s) (a1 t)). set (second := two_sum (a2 s) (a2 t)).
  set (third := two_sum (high second) (low first)). set (rest := two_sum (low second) (low third)).
  set (tail := two_sum (a3 t) (high rest)). set (last := two_sum (a3 s) (high tail)).
  intros F. apply mul64 in F. destruct F as (F & _ & ->). rewrite triple_slack_value.
  apply add64 in F. destruct F as (Fe & Fr & ->). apply add64 in Fe. destruct Fe as (_ & _ & ->).
  apply add64 in Fr. destruct Fr as (Fr & F3 & ->). apply add64 in Fr. destruct Fr as (F1 & F2 & ->).
  apply absolute64 in F1. destruct F1 as (F1 & ->). apply absolute64 in F2. destruct F2 as (F2 & ->).
  apply absolute64 in F3. destruct F3 as (F3 & ->).
  destruct (two_sum_exact _ _ F1) as (G2 & G3 & _). destruct (two_sum_exact _ _ G3) as (_ & G1 & _).
  unfold triple_add_source.
  rewrite <- (two_sum_source_value _ _ G1), <- (two_sum_source_value _ _ G2). fold first second. cbn [fst snd].
  rewrite <- (two_sum_source_value _ _ G3). fold third. cbn [fst snd].
  rewrite <- (two_sum_source_value _ _ F1). fold rest. cbn [fst snd].
  rewrite <- (two_sum_source_value _ _ F2). fold tail. cbn [fst snd].
  rewrite <- (two_sum_source_value _ _ F3). fold last. cbn [fst snd]. rewrite source_slack. reflexivity.
Qed.

(* Theorem: a known result of triple_add contains the sum of the numbers in both. *)
Theorem triple_add_correct (s t : triple) (x y : R) :
  triple_holds s x -> triple_holds t y -> is_finite (error (triple_add s t)) = true -> triple_holds (triple_add s t) (x + y).
Proof.
  unfold triple_holds, triple_add. cbn [a1 a2 a3 error].
  set (first := two_sum (a1 s) (a1 t)). set (second := two_sum (a2 s) (a2 t)).
  set (third := two_sum (high second) (low first)). set (rest := two_sum (low second) (low third)).
  set (tail := two_sum (a3 t) (high rest)). set (last := two_sum (a3 s) (high tail)).
  intros Hx Hy F. assert (Ps := within_nonnegative _ _ _ Hx). assert (Pt := within_nonnegative _ _ _ Hy).
  apply mul64 in F. destruct F as (F & _ & E). rewrite triple_slack_value in E.
  apply add64 in F. destruct F as (Fe & Fr & E1). apply add64 in Fe. destruct Fe as (_ & _ & E2).
  apply add64 in Fr. destruct Fr as (Fr & F3 & E3). apply add64 in Fr. destruct Fr as (F1 & F2 & E4).
  apply absolute64 in F1. destruct F1 as (F1 & A1). apply absolute64 in F2. destruct F2 as (F2 & A2).
  apply absolute64 in F3. destruct F3 as (F3 & A3).
  destruct (two_sum_exact _ _ F3) as (_ & _ & _ & _ & S6). fold last in S6.
  destruct (two_sum_exact _ _ F2) as (_ & _ & _ & _ & S5). fold tail in S5.
  destruct (two_sum_exact _ _ F1) as (G2 & G3 & _ & _ & S4). fold rest in S4.
  destruct (two_sum_exact _ _ G3) as (_ & G1 & _ & _ & S3). fold third in S3.
  destruct (two_sum_exact _ _ G2) as (_ & _ & _ & _ & S2). fold second in S2.
  destruct (two_sum_exact _ _ G1) as (_ & _ & _ & _ & S1). fold first in S1.
  set (r1 := B2R (low rest)) in *. set (r2 := B2R (low tail)) in *. set (r3 := B2R (low last)) in *.
  rewrite A1, A2 in E4. rewrite E4, A3 in E3. rewrite E2, E3 in E1. rewrite E1 in E. rewrite E.
  assert (P1 := Rabs_pos r1). assert (P2 := Rabs_pos r2). assert (P3 := Rabs_pos r3).
  assert (Fr1 : format64 (Rabs r1)) by apply generic_format_abs, format_B2R.
  assert (Fr2 : format64 (Rabs r2)) by apply generic_format_abs, format_B2R.
  assert (Fr3 : format64 (Rabs r3)) by apply generic_format_abs, format_B2R.
  set (e1 := rnd64 (B2R (error s) + B2R (error t))) in *.
  set (c := rnd64 (Rabs r1 + Rabs r2)) in *. set (d := rnd64 (c + Rabs r3)) in *. set (g := rnd64 (e1 + d)) in *.
  assert (Fe1 : format64 e1) by apply rnd64_format. assert (Fc : format64 c) by apply rnd64_format.
  assert (Fd : format64 d) by apply rnd64_format. assert (Fg : format64 g) by apply rnd64_format.
  assert (Pe1 : 0 <= e1) by (apply rnd64_nonnegative; lra). assert (Pc : 0 <= c) by (apply rnd64_nonnegative; lra).
  assert (Pd : 0 <= d) by (apply rnd64_nonnegative; lra). assert (Pg : 0 <= g) by (apply rnd64_nonnegative; lra).
  assert (Be := rnd64_sum _ _ (format_B2R (error s)) (format_B2R (error t))). fold e1 in Be.
  rewrite (Rabs_pos_eq (_ + _)) in Be by lra. split_abs Be.
  assert (Bc := rnd64_sum _ _ Fr1 Fr2). fold c in Bc. rewrite (Rabs_pos_eq (_ + _)) in Bc by lra. split_abs Bc.
  assert (Bd := rnd64_sum _ _ Fc Fr3). fold d in Bd. rewrite (Rabs_pos_eq (_ + _)) in Bd by lra. split_abs Bd.
  assert (Bg := rnd64_sum _ _ Fe1 Fd). fold g in Bg. rewrite (Rabs_pos_eq (_ + _)) in Bg by lra. split_abs Bg.
  assert (H : B2R (error s) + B2R (error t) + (Rabs r1 + Rabs r2 + Rabs r3) <= rnd64 (g * (1 + 1 / 1125899906842624))).
  { assert (Npos := normal64_positive). destruct (Rle_or_lt normal64 g) as [S|S].
    - assert (Bn : Rabs (rnd64 (g * (1 + 1 / 1125899906842624)) - g * (1 + 1 / 1125899906842624)) <=
                   u64 * Rabs (g * (1 + 1 / 1125899906842624))).
      { apply rnd64_normal. rewrite Rabs_pos_eq; lra. }
      rewrite (Rabs_pos_eq (g * _)) in Bn by lra. split_abs Bn. unfold u64 in *. lra.
    - assert (g = e1 + d) by (apply rnd64_small_sum; auto; rewrite Rabs_pos_eq; unfold u64 in *; lra).
      assert (d = c + Rabs r3) by (apply rnd64_small_sum; auto; rewrite Rabs_pos_eq; unfold u64 in *; lra).
      assert (c = Rabs r1 + Rabs r2) by (apply rnd64_small_sum; auto; rewrite Rabs_pos_eq; unfold u64 in *; lra).
      assert (e1 = B2R (error s) + B2R (error t))
        by (apply rnd64_small_sum; try apply format_B2R; rewrite Rabs_pos_eq; unfold u64 in *; lra).
      assert (g <= rnd64 (g * (1 + 1 / 1125899906842624)))
        by (rewrite <- (rnd64_exact g Fg) at 1; apply rnd64_le; lra).
      lra. }
  assert (H1 : - Rabs r1 <= r1 <= Rabs r1) by (apply Rabs_le_inv; apply Rle_refl).
  assert (H2 : - Rabs r2 <= r2 <= Rabs r2) by (apply Rabs_le_inv; apply Rle_refl).
  assert (H3 : - Rabs r3 <= r3 <= Rabs r3) by (apply Rabs_le_inv; apply Rle_refl).
  apply Rabs_le_inv in Hx. apply Rabs_le_inv in Hy. apply Rabs_le. lra.
Qed.
