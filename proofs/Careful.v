(* The sums that the test of vectors reads, lib/cpu/kernels/round.cpp: add_term, and add_three of careful sums. Real numbers stand for doubles. *)
From Coq Require Import ZArith Reals Lra Lia Bool.
From Flocq Require Import Core Mult_error Plus_error.
From Proofs Require Import Semantics Floats LanesSource Lanes.

Open Scope R_scope.

Definition state : Type := (R * R * R * R * R * R)%type.

(* What holds of high + middle + low after n roundings. *)
Definition good (n given x : R) (st : state) : Prop := let '(h, m, l, ls, er, ix) := st in
  format64 h /\ format64 m /\ format64 l /\ format64 ls /\ format64 er /\ format64 ix /\ 0 <= er /\ after n given (x - m) h l ls ix.

Lemma tiny_positive : 0 < u64 * normal64.
Proof. apply Rmult_lt_0_compat; [unfold u64; lra | apply normal64_positive]. Qed.

Lemma zero_of (y : R) : Rabs y <= 0 -> y = 0.
Proof. intros H. destruct (Req_dec y 0) as [E|E]; [exact E | apply Rabs_pos_lt in E; lra]. Qed.

Lemma error_format (a b : R) : format64 a -> format64 b -> format64 (a + b - rnd64 (a + b)).
Proof. intros Fa Fb. replace (a + b - rnd64 (a + b)) with (- (rnd64 (a + b) - (a + b))) by ring. apply format64_opp, plus_error; try typeclasses eauto; assumption. Qed.

(* More roundings, a larger error, and an x that moves. *)
Lemma moved (n n' given given' x x' h m l ls er er' ix ix' : R) : good n given x (h, m, l, ls, er, ix) -> format64 er' -> 0 <= er' -> format64 ix' -> ix <= ix' -> n <= n' ->
  (given + Rabs (x' - x) <= given' + (n' - n) * (1.001 * (u64 * ls)) + (n' - n) * (8 * (u64 * normal64))) -> (ix' = 0 -> ls = 0 -> x' = x) -> good n' given' x' (h, m, l, ls, er', ix').
Proof.
  intros (F1 & F2 & F3 & F4 & F5 & F6 & E & (A & B & C & D)) Fe Pe Fx Px Hn H Z. do 7 (split; [assumption|]). split; [exact A|]. split; [lra|]. split.
  - replace (x' - m - (h + l)) with ((x - m - (h + l)) + (x' - x)) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
  - intros I L. rewrite (Z I L). apply D; lra.
Qed.

Lemma low_added (n given x h m l ls er ix y : R) : 0 <= n -> format64 y -> good n given x (h, m, l, ls, er, ix) ->
  exists l' ls', add_to_low h m l ls er ix y = (h, m, l', ls', er, ix) /\ good (n + 1) given (x + y) (h, m, l', ls', er, ix) /\ ls <= ls' /\ Rabs y <= ls'.
Proof.
  intros Hn Fy (F1 & F2 & F3 & F4 & F5 & F6 & E & (A & B & C & D)). unfold add_to_low, add_lanes, rd64. cbv zeta. exists (rnd64 (l + y)), (rnd64 (ls + Rabs y)). split; [reflexivity|].
  assert (P := Rabs_pos l). assert (Q := Rabs_pos y). assert (S : ls <= rnd64 (ls + Rabs y)) by (apply below_sum; [exact F4 | exact Q]).
  assert (T : Rabs y <= rnd64 (ls + Rabs y)) by (rewrite Rplus_comm; apply below_sum; [now apply generic_format_abs | lra]).
  assert (M : Rabs (rnd64 (l + y)) <= rnd64 (ls + Rabs y)) by (apply rnd64_abs_le; eapply Rle_trans; [apply Rabs_triang|]; lra).
  split; [|auto]. do 7 (split; [assumption || apply rnd64_format|]). split; [exact M|]. split; [exact B|]. set (ls' := rnd64 (ls + Rabs y)) in *. split.
  - replace (x + y - m - (h + rnd64 (l + y))) with ((x - m - (h + l)) + (l + y - rnd64 (l + y))) by ring. eapply Rle_trans; [apply Rabs_triang|].
    assert (O := operation_error (l + y) ls' M). assert (U := tiny_positive). assert (N : n * (1.001 * (u64 * ls)) <= n * (1.001 * (u64 * ls'))) by (apply Rmult_le_compat_l; [exact Hn | unfold u64; lra]).
    assert (Ul : 0 <= u64 * ls') by (apply Rmult_le_pos; [unfold u64|]; lra). lra.
  - intros I L. rewrite (zero_of y ltac:(lra)). rewrite !Rplus_0_r, (rnd64_exact l F3). apply D; lra.
Qed.

(* The sum of two numbers and its error replace them. *)
Lemma high_added (n given x h m l ls er ix p : R) : format64 p -> good n given x (h, m, l, ls, er, ix) ->
  format64 (h + p - rnd64 (h + p)) /\ good n given (x + p - (h + p - rnd64 (h + p))) (rnd64 (h + p), m, l, ls, er, ix).
Proof.
  intros Fp (F1 & F2 & F3 & F4 & F5 & F6 & E & (A & B & C & D)). split; [now apply error_format|]. do 7 (split; [assumption || apply rnd64_format|]). split; [exact A|]. split; [exact B|]. split.
  - replace (x + p - (h + p - rnd64 (h + p)) - m - (rnd64 (h + p) + l)) with (x - m - (h + l)) by ring. exact C.
  - intros I L. specialize (D I L). lra.
Qed.

Lemma middle_added (n given x h m l ls er ix p : R) : format64 p -> good n given x (h, m, l, ls, er, ix) ->
  format64 (m + p - rnd64 (m + p)) /\ good n given (x + p - (m + p - rnd64 (m + p))) (h, rnd64 (m + p), l, ls, er, ix).
Proof.
  intros Fp (F1 & F2 & F3 & F4 & F5 & F6 & E & (A & B & C & D)). split; [now apply error_format|]. do 7 (split; [assumption || apply rnd64_format|]).
  replace (x + p - (m + p - rnd64 (m + p)) - rnd64 (m + p)) with (x - m) by ring. repeat split; assumption.
Qed.

Lemma add_three_adds (n given x h m l ls er ix f a b c : R) : 0 <= n -> format64 f -> format64 a -> format64 b -> format64 c -> good n given x (h, m, l, ls, er, ix) ->
  exists h' m' l' ls' ix', add_three h m l ls er ix f a b c = (h', m', l', ls', er, ix') /\ ix <= ix' /\ good (n + 6) given (x + f * (a + b + c)) (h', m', l', ls', er, ix').
Proof.
  intros Hn Ff Fa Fb Fc G. unfold add_three, mul_lanes, fms_lanes, where_greater, add_exactly, sum_error, zero, add_lanes, rd64. cbv zeta.
  destruct (product_error f a Ff Fa) as (Pa & Xa). destruct (product_error f b Ff Fb) as (Pb & Xb). cbv zeta in Pa, Xa, Pb, Xb.
  set (p := rnd64 (f * a)) in *. set (q := rnd64 (f * b)) in *. set (pl := rnd64 (f * a - p)) in *. set (ql := rnd64 (f * b - q)) in *. set (t := rnd64 (f * c)).
  assert (Fq : format64 ql) by apply rnd64_format. assert (Ft : format64 t) by apply rnd64_format.
  destruct (low_added n given x h m l ls er ix ql Hn Fq G) as (l1 & s1 & E1 & G1 & L1 & _). rewrite E1. cbv iota beta zeta.
  destruct (low_added (n + 1) given (x + ql) h m l1 s1 er ix t ltac:(lra) Ft G1) as (l2 & s2 & E2 & G2 & L2 & T2). rewrite E2. cbv iota beta zeta.
  set (under := if Rlt_bool (Rabs p) (IZR 1 * bpow radix2 (-900)) then Rabs a else 0).   assert (Bp := Rabs_pos b). assert (Cp := Rabs_pos c). assert (U0 : 0 <= under) by (unfold under; destruct (Rlt_bool _ _); [apply Rabs_pos | lra]).
  assert (Fu : format64 under) by (unfold under; destruct (Rlt_bool _ _); [now apply generic_format_abs | apply generic_format_0]).
  set (d1 := rnd64 (Rabs b + Rabs c)). set (d2 := rnd64 (d1 + under)). set (ix' := rnd64 (ix + d2)). assert (Ei : ix' = rnd64 (ix + d2)) by reflexivity.
  assert (I0 : 0 <= ix) by (destruct G as (_ & _ & _ & _ & _ & _ & _ & _ & B & _); exact B). assert (Fi : format64 ix) by (destruct G as (_ & _ & _ & _ & _ & F & _); exact F).
  assert (Fe : format64 er /\ 0 <= er) by (destruct G as (_ & _ & _ & _ & F & _ & P & _); auto). destruct Fe as (Fe & Pe).
  assert (D1 : 0 <= d1) by (apply rnd64_nonnegative; lra). assert (D2 : 0 <= d2) by (apply rnd64_nonnegative; lra).
  assert (I1 : ix <= ix') by (rewrite Ei; apply below_sum; assumption). assert (I2 : d2 <= ix') by (rewrite Ei, Rplus_comm; apply below_sum; [apply rnd64_format | exact I0]).
  assert (I3 : d1 <= d2) by (apply below_sum; [apply rnd64_format | exact U0]). assert (I4 : under <= d2) by (unfold d2; rewrite Rplus_comm; apply below_sum; assumption).
  assert (I5 : Rabs b <= d1) by (apply below_sum; [now apply generic_format_abs | exact Cp]). assert (I6 : Rabs c <= d1) by (unfold d1; rewrite Rplus_comm; apply below_sum; [now apply generic_format_abs | exact Bp]).
  apply (moved _ (n + 1 + 1) _ given _ (x + ql + t) h m l2 s2 er er ix ix') in G2; auto; [|rewrite Ei; apply rnd64_format | lra | rewrite Rminus_diag_eq, Rabs_R0 by reflexivity; lra]. clearbody ix'.
  destruct (high_added _ _ _ _ _ _ _ _ _ p ltac:(apply rnd64_format) G2) as (Fp' & G3). set (h' := rnd64 (h + p)) in *. set (p' := h + p - h') in *.
  cbv iota beta zeta.
  destruct (middle_added _ _ _ _ _ _ _ _ _ p' Fp' G3) as (Fx1 & G4). set (m1 := rnd64 (m + p')) in *. set (e1 := m + p' - m1) in *. cbv iota beta zeta.
  destruct (low_added (n + 1 + 1) _ _ _ _ _ _ _ _ e1 ltac:(lra) Fx1 G4) as (l3 & s3 & E3 & G5 & L3 & _). rewrite E3. cbv iota beta zeta.
  destruct (middle_added _ _ _ _ _ _ _ _ _ pl ltac:(apply rnd64_format) G5) as (Fx2 & G6). set (m2 := rnd64 (m1 + pl)) in *. set (e2 := m1 + pl - m2) in *. cbv iota beta zeta.
  destruct (low_added (n + 1 + 1 + 1) _ _ _ _ _ _ _ _ e2 ltac:(lra) Fx2 G6) as (l4 & s4 & E4 & G7 & L4 & _). rewrite E4. cbv iota beta zeta.
  destruct (middle_added _ _ _ _ _ _ _ _ _ q ltac:(apply rnd64_format) G7) as (Fx3 & G8). set (m3 := rnd64 (m2 + q)) in *. set (e3 := m2 + q - m3) in *. cbv iota beta zeta.
  destruct (low_added (n + 1 + 1 + 1 + 1) _ _ _ _ _ _ _ _ e3 ltac:(lra) Fx3 G8) as (l5 & s5 & E5 & G9 & L5 & _). rewrite E5. cbv iota beta zeta.
  exists h', m3, l5, s5, ix'. split; [reflexivity|]. split; [exact I1|].
  assert (T5 : Rabs t <= s5) by (clear - T2 L3 L4 L5; lra). assert (O := operation_error (f * c) s5 T5). fold t in O. assert (U := tiny_positive).
  refine (moved _ (n + 6) _ given _ _ h' m3 l5 s5 er er ix' ix' G9 Fe Pe _ _ _ _ _); [destruct G9 as (_ & _ & _ & _ & _ & F & _); exact F | lra | lra | |].
  - match goal with |- context [Rabs ?d] => replace d with ((f * a - p - pl) + (f * b - q - ql) + (f * c - t)) by ring end.
    assert (T1 := Rabs_triang ((f * a - p - pl) + (f * b - q - ql)) (f * c - t)). assert (T3 := Rabs_triang (f * a - p - pl) (f * b - q - ql)).
    assert (S5 : 0 <= u64 * s5) by (apply Rmult_le_pos; [unfold u64; lra|]; assert (Z := Rabs_pos t); lra). lra.
  - intros Z1 Z2. assert (B0 : b = 0) by (apply zero_of; lra). assert (C0 : c = 0) by (apply zero_of; lra). assert (R0 : rnd64 0 = 0) by apply rnd64_exact, generic_format_0.
    assert (Q0 : q = 0) by (unfold q; now rewrite B0, Rmult_0_r). assert (Ql : ql = 0) by (unfold ql; now rewrite Q0, B0, Rmult_0_r, Rminus_0_r).
    assert (T0 : t = 0) by (unfold t; now rewrite C0, Rmult_0_r).
    assert (Ep : f * a = p + pl).
    { destruct (Rlt_bool_spec (Rabs p) (IZR 1 * bpow radix2 (-900))) as [W|W].
      - assert (A0 : a = 0) by (apply zero_of; unfold under in I4; lra). assert (P0 : p = 0) by (unfold p; now rewrite A0, Rmult_0_r).
        unfold pl. rewrite P0, A0, Rmult_0_r, Rminus_0_r, R0. ring.
      - specialize (Xa ltac:(lra)). lra. }
    rewrite Ql, Q0, T0, B0, C0, !Rplus_0_r, Ep. ring.
Qed.

(* One of the two parts of a result (RoundTerms), and what its terms are worth for a sum S and the number c. *)
Definition at_ (memory : Z -> R) (i a : Z) : R := if negb (a =? 0)%Z then memory (a + i)%Z else zero.
Definition part_known (memory : Z -> R) (i : Z) (alpha beta : R) (a1 a2 a3 e : Z) (sum : R) : Prop :=
  format64 alpha /\ format64 beta /\ 0 <= at_ memory i e /\ (alpha <> 0 -> Rabs (sum - (memory (a1 + i)%Z + at_ memory i a2 + at_ memory i a3)) <= at_ memory i e).
Definition worth (memory : Z -> R) (i : Z) (alpha beta : R) (c : Z) (sum : R) : R := alpha * sum + beta * memory (c + i)%Z.

Definition kept (careful : bool) (k n x : R) (st : state) : Prop :=
  let '(_, m, _, _, er, _) := st in exists given, good n given x st /\ given <= er * (1 + k * / 2 ^ 50) /\ (careful = false -> m = 0).

(* Adds four numbers: factor times (a + b + c) + e *)
Lemma product_added (careful : bool) (n given x h m l ls er ix f a b c : R) : 0 <= n -> format64 f -> format64 a -> format64 b -> format64 c -> good n given x (h, m, l, ls, er, ix) ->
  (careful = false -> m = 0) ->
  exists h' m' l' ls' ix', (if careful then add_three h m l ls er ix f a b c else add_term h m l ls er ix f a (add_lanes b c)) = (h', m', l', ls', er, ix') /\
    ix <= ix' /\ good (n + 6) given (x + f * (a + b + c)) (h', m', l', ls', er, ix') /\ (careful = false -> m' = 0).
Proof.
  intros Hn Ff Fa Fb Fc G M. destruct careful.
  - destruct (add_three_adds n given x h m l ls er ix f a b c Hn Ff Fa Fb Fc G) as (h' & m' & l' & ls' & ix' & E & I & G'). exists h', m', l', ls', ix'. split; [exact E|]. split; [exact I|]. split; [exact G' | discriminate].
  - specialize (M eq_refl). subst m. destruct G as (F1 & F2 & F3 & F4 & F5 & F6 & Pe & A). rewrite Rminus_0_r in A. unfold add_lanes. change (rd64 (b + c)) with (rnd64 (b + c)).
    destruct (add_term_adds n given x h 0 l ls er ix f a (rnd64 (b + c)) Hn F1 F4 F6 Ff Fa (rnd64_format _) A) as (h' & l' & ls' & ix' & E & Fh & Fl & Fs & Fi & (T1 & T2 & T3 & T4) & A').
    exists h', 0, l', ls', ix'. split; [exact E|]. split; [exact T3|]. split; [|reflexivity].
    assert (G' : good (n + 4) given (x + f * (a + rnd64 (b + c))) (h', 0, l', ls', er, ix')).
    { do 7 (split; [assumption|]). now rewrite Rminus_0_r. }
    assert (U := tiny_positive). assert (R := rnd64_sum b c Fb Fc). set (rest := rnd64 (b + c)) in *.
    assert (B1 := rnd64_error (f * rest)). set (tail := rnd64 (f * rest)) in *. assert (Small : Rabs (b + c) <= 1.0001 * Rabs rest).
    { assert (T := Rabs_triang rest (b + c - rest)). replace (rest + (b + c - rest)) with (b + c) in T by ring. rewrite <- Rabs_Ropp in R. replace (- (rest - (b + c))) with (b + c - rest) in R by ring. assert (P := Rabs_pos rest). unfold u64 in *. lra. }
    assert (D : Rabs (f * (b + c - rest)) <= 1.002 * (u64 * ls') + u64 * normal64).
    { rewrite Rabs_mult. rewrite <- Rabs_Ropp in R. replace (- (rest - (b + c))) with (b + c - rest) in R by ring.
      apply Rle_trans with (Rabs f * (1.0001 * u64 * Rabs rest)); [apply Rmult_le_compat_l; [apply Rabs_pos | unfold u64 in *; lra]|].
      replace (Rabs f * (1.0001 * u64 * Rabs rest)) with (1.0001 * u64 * Rabs (f * rest)) by (rewrite Rabs_mult; ring).
      assert (T := Rabs_triang tail (f * rest - tail)). replace (tail + (f * rest - tail)) with (f * rest) in T by ring. rewrite <- Rabs_Ropp in B1. replace (- (tail - f * rest)) with (f * rest - tail) in B1 by ring.
      assert (P := Rabs_pos tail). assert (P2 := Rabs_pos (f * rest)). unfold u64 in *. lra. }
    assert (P : 0 <= u64 * ls') by (apply Rmult_le_pos; [unfold u64; lra | assert (T := Rabs_pos tail); lra]).
    refine (moved _ _ _ _ _ _ _ _ _ _ _ _ _ _ G' F5 Pe Fi (Rle_refl _) _ _ _); [lra| |].
    + replace (x + f * (a + b + c) - (x + f * (a + rest))) with (f * (b + c - rest)) by ring. lra.
    + intros Z1 _. assert (R0 : rest = 0) by (apply zero_of; lra). rewrite R0, Rabs_R0, Rmult_0_r in Small. rewrite R0, (Rplus_assoc a b c), (zero_of (b + c) Small). reflexivity.
Qed.

Lemma error_added (er s : R) : format64 er -> 0 <= er -> 0 <= s -> er + s <= rnd64 (er + rnd64 s) * (1 + 2.5 * u64) + 2 * (u64 * normal64).
Proof.
  intros Fe Pe Ps. assert (B := rnd64_error s). rewrite (Rabs_pos_eq s) in B by exact Ps. assert (N := rnd64_nonnegative s Ps). assert (S := rnd64_sum er (rnd64 s) Fe (rnd64_format s)).
  rewrite (Rabs_pos_eq (er + rnd64 s)) in S by lra. assert (U := tiny_positive). split_abs B. split_abs S. unfold u64 in *. lra.
Qed.

Lemma stay (n n' given x : R) (st : state) : n <= n' -> good n given x st -> good n' given x st.
Proof.
  destruct st as (((((h, m), l), ls), er), ix). intros H G. assert (G' := G). destruct G' as (_ & _ & _ & _ & F5 & F6 & Pe & A & _). assert (U := tiny_positive). assert (P := Rabs_pos l).
  assert (Ul : 0 <= u64 * ls) by (apply Rmult_le_pos; [unfold u64|]; lra). refine (moved n n' given given x x h m l ls er er ix ix G F5 Pe F6 (Rle_refl _) H _ _); [|auto].
  rewrite Rminus_diag_eq, Rabs_R0, Rplus_0_r by reflexivity. assert (0 <= (n' - n) * (1.001 * (u64 * ls))) by (apply Rmult_le_pos; lra). assert (0 <= (n' - n) * (8 * (u64 * normal64))) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma six_same (t : state) : (let '(a, b, c, d, e, f) := t in (a, b, c, d, e, f)) = t.
Proof. now destruct t as (((((a, b), c), d), e), f). Qed.

Lemma part_added (careful : bool) (memory : Z -> R) (i : Z) (n k x h m l ls er ix alpha beta : R) (a1 a2 a3 e c : Z) (sum : R) : 0 <= n -> 0 <= k <= 4 -> (forall a, format64 (memory a)) ->
  part_known memory i alpha beta a1 a2 a3 e sum -> kept careful k n x (h, m, l, ls, er, ix) ->
  kept careful (k + 1) (n + 13) (x + worth memory i alpha beta c sum) (add_part careful memory h m l ls er ix alpha beta a1 a2 a3 e c i).
Proof.
  intros Hn Hk Fm (Fa & Fb & Pe & H) (given & G & Hg & M). unfold add_part. cbv zeta. set (z := fun x => if negb (x =? 0)%Z then memory (x + i)%Z else zero).
  assert (Fz : forall a, format64 (z a)) by (intros a; unfold z; destruct (negb _); [apply Fm | apply generic_format_0]).
  assert (Ez : forall a, at_ memory i a = z a) by reflexivity. rewrite (Ez a2), (Ez a3), (Ez e) in H. rewrite Ez in Pe. change (if negb (a2 =? 0)%Z then memory (a2 + i)%Z else zero) with (z a2). change (if negb (a3 =? 0)%Z then memory (a3 + i)%Z else zero) with (z a3).
  change (if negb (e =? 0)%Z then memory (e + i)%Z else zero) with (z e). clearbody z.
  (* the sum's terms *)
  assert (First : kept careful (k + 1) (n + 7) (x + alpha * sum) (if negb (Req_bool alpha (IZR 0))
    then let '(h, m, l, ls, er, ix) := if careful then add_three h m l ls er ix alpha (memory (a1 + i)%Z) (z a2) (z a3) else add_term h m l ls er ix alpha (memory (a1 + i)%Z) (add_lanes (z a2) (z a3)) in
      (h, m, l, ls, add_lanes er (mul_lanes (Rabs alpha) (z e)), add_lanes ix (z e)) else (h, m, l, ls, er, ix))).
  { assert (Per : 0 <= er) by (destruct G as (_ & _ & _ & _ & _ & _ & P & _); exact P). destruct (Req_bool_spec alpha (IZR 0)) as [Za|Za]; cbn [negb].
    - exists given. split; [|split; [|exact M]].
      + rewrite Za, Rmult_0_l, Rplus_0_r. apply (stay n); [lra | exact G].
      + eapply Rle_trans; [exact Hg|]. apply Rmult_le_compat_l; lra.
    - destruct (product_added careful n given x h m l ls er ix alpha (memory (a1 + i)%Z) (z a2) (z a3) Hn Fa (Fm _) (Fz _) (Fz _) G M) as (h' & m' & l' & ls' & ix' & E & I & G' & M'). rewrite E.
      assert (G'' := G'). destruct G'' as (_ & _ & _ & _ & F5 & F6 & _ & A & Pi & _). assert (Pl := Rabs_pos l'). unfold add_lanes, mul_lanes, rd64.
      assert (S0 : 0 <= Rabs alpha * z e) by (apply Rmult_le_pos; [apply Rabs_pos | exact Pe]). assert (Er := error_added er (Rabs alpha * z e) F5 Per S0). set (er' := rnd64 (er + rnd64 (Rabs alpha * z e))) in *.
      assert (P' : 0 <= er') by (apply rnd64_nonnegative; assert (Q := rnd64_nonnegative _ S0); lra). assert (U := tiny_positive).
      assert (Ul : 0 <= u64 * ls') by (apply Rmult_le_pos; [unfold u64|]; lra).
      exists (er' * (1 + (k + 1) * / 2 ^ 50)). split; [|split; [apply Rle_refl | exact M']].
      assert (D : Rabs (alpha * sum - alpha * (memory (a1 + i)%Z + z a2 + z a3)) <= Rabs alpha * z e) by (rewrite <- Rmult_minus_distr_l, Rabs_mult; apply Rmult_le_compat_l; [apply Rabs_pos | now apply H]).
      refine (moved (n + 6) (n + 7) given _ _ _ h' m' l' ls' er er' ix' _ G' (rnd64_format _) P' (rnd64_format _) (below_sum ix' (z e) F6 Pe) _ _ _); [lra| |].
      + replace (x + alpha * sum - (x + alpha * (memory (a1 + i)%Z + z a2 + z a3))) with (alpha * sum - alpha * (memory (a1 + i)%Z + z a2 + z a3)) by ring.
        set (K := k * / 2 ^ 50) in *. replace ((k + 1) * / 2 ^ 50) with (K + / 2 ^ 50) by (unfold K; ring). assert (HK : 0 <= K <= 4 * / 2 ^ 50) by (unfold K; lra).
        assert (Q1 : (er + Rabs alpha * z e) * (1 + K) <= (er' * (1 + 2.5 * u64) + 2 * (u64 * normal64)) * (1 + K)) by (apply Rmult_le_compat_r; lra).
        assert (Q2 : er' * ((1 + 2.5 * u64) * (1 + K)) <= er' * (1 + (K + / 2 ^ 50))) by (apply Rmult_le_compat_l; [exact P' | unfold u64; lra]).
        assert (Q3 : Rabs alpha * z e <= Rabs alpha * z e * (1 + K)) by (rewrite <- (Rmult_1_r (Rabs alpha * z e)) at 1; apply Rmult_le_compat_l; lra).
        assert (Q4 : u64 * normal64 * K <= u64 * normal64 * 1) by (apply Rmult_le_compat_l; lra). lra.
      + intros Z1 _. assert (Z2 : z e <= 0) by (rewrite <- Z1, Rplus_comm; apply below_sum; [apply Fz | exact Pi]). replace (z e) with 0 in D by lra. rewrite Rmult_0_r in D. assert (T := zero_of _ D). lra. }
  rewrite !six_same. set (st := if negb (Req_bool alpha (IZR 0)) then _ else _) in First. set (goal_st := if negb (Req_bool alpha (IZR 0)) then _ else (h, m, l, ls, er, ix)).
  assert (Same : goal_st = st) by (unfold goal_st, st; destruct careful; now rewrite ?six_same). clearbody goal_st. subst goal_st. clearbody st. clear G Hg M. destruct st as (((((h1, m1), l1), s1), e1), x1).
  destruct First as (given1 & G & Hg & M). cbv iota beta. rewrite !six_same. unfold worth. rewrite <- Rplus_assoc. destruct (Req_bool_spec beta (IZR 0)) as [Zb|Zb]; cbn [negb].
  - exists given1. split; [|split; assumption]. rewrite Zb, Rmult_0_l, Rplus_0_r. apply (stay (n + 7)); [lra | exact G].
  - assert (F0 : format64 zero) by apply generic_format_0. assert (Z0 : zero = add_lanes zero zero) by (unfold add_lanes, zero; rewrite Rplus_0_r; symmetry; apply rnd64_exact, generic_format_0).
    destruct (product_added careful (n + 7) given1 (x + alpha * sum) h1 m1 l1 s1 e1 x1 beta (memory (c + i)%Z) zero zero ltac:(lra) Fb (Fm _) F0 F0 G M) as (h' & m' & l' & ls' & ix' & E & _ & G' & M').
    rewrite <- Z0 in E. rewrite E. exists given1. split; [|split; assumption]. replace (x + alpha * sum + beta * memory (c + i)%Z) with (x + alpha * sum + beta * (memory (c + i)%Z + zero + zero)) by (unfold zero; ring).
    apply (stay (n + 7 + 6)); [lra | exact G'].
Qed.

(* Theorem: a sum of the terms of both parts of a result is what the test of a lane asks for, with middle parts and without. *)
Theorem sums_hold (careful : bool) (memory : Z -> R) (i : Z) (alpha beta alpha' beta' : R) (a1 a2 a3 e c a1' a2' a3' e' c' : Z) (sum sum' : R) : (forall a, format64 (memory a)) ->
  part_known memory i alpha beta a1 a2 a3 e sum -> part_known memory i alpha' beta' a1' a2' a3' e' sum' ->
  let '(h, m, l, ls, er, ix) := add_part careful memory zero zero zero zero zero zero alpha beta a1 a2 a3 e c i in
  let '(h, m, l, ls, er, ix) := add_part careful memory h m l ls er ix alpha' beta' a1' a2' a3' e' c' i in
  let '(h, m, l, ls, er, ix) := if careful then sum_end h m l ls er ix else (h, m, l, ls, er, ix) in
  sum_holds (worth memory i alpha beta c sum + worth memory i alpha' beta' c' sum') h l ls er ix /\ format64 h /\ format64 l /\ format64 ls /\ format64 er /\ format64 ix.
Proof.
  intros Fm K1 K2. assert (F0 : format64 0) by apply generic_format_0.
  assert (S0 : kept careful 0 0 0 (zero, zero, zero, zero, zero, zero)).
  { exists 0. unfold zero. split; [|split; [lra | reflexivity]]. do 6 (split; [assumption|]). split; [lra|]. split; [rewrite Rabs_R0; lra|]. split; [lra|]. split; [|intros; ring].
    replace (0 - 0 - (0 + 0)) with 0 by ring. rewrite Rabs_R0. lra. }
  assert (S1 := part_added careful memory i 0 0 0 zero zero zero zero zero zero alpha beta a1 a2 a3 e c sum (Rle_refl 0) ltac:(lra) Fm K1 S0).
  destruct (add_part _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _) as (((((h1, m1), l1), s1), r1), x1).
  assert (S2 := part_added careful memory i (0 + 13) (0 + 1) _ h1 m1 l1 s1 r1 x1 alpha' beta' a1' a2' a3' e' c' sum' ltac:(lra) ltac:(lra) Fm K2 S1). clear S0 S1.
  destruct (add_part _ _ _ _ _ _ _ _ _ _ _ _ _ _ _ _) as (((((h2, m2), l2), s2), r2), x2). replace (0 + worth memory i alpha beta c sum) with (worth memory i alpha beta c sum) in S2 by ring. destruct S2 as (given & G & Hg & M).
  assert (Final : forall n h l ls, 0 <= n <= 30 -> good n given (worth memory i alpha beta c sum + worth memory i alpha' beta' c' sum') (h, 0, l, ls, r2, x2) ->
    sum_holds (worth memory i alpha beta c sum + worth memory i alpha' beta' c' sum') h l ls r2 x2 /\ format64 h /\ format64 l /\ format64 ls /\ format64 r2 /\ format64 x2).
  { intros n h l ls Hn (F1 & F2 & F3 & F4 & F5 & F6 & Pe & A). rewrite Rminus_0_r in A. split; [|tauto]. apply (after_holds n given); auto. eapply Rle_trans; [exact Hg|]. apply Rmult_le_compat_l; [exact Pe | lra]. }
  destruct careful.
  - unfold sum_end, add_exactly, sum_error, add_lanes at 1 2 3. cbv zeta. change (rd64 (h2 + m2)) with (rnd64 (h2 + m2)). assert (G' := G). destruct G' as (F1 & F2 & F3 & F4 & F5 & F6 & Pe & A).
    assert (G1 : good (0 + 13 + 13) given (worth memory i alpha beta c sum + worth memory i alpha' beta' c' sum' - (h2 + m2 - rnd64 (h2 + m2))) (rnd64 (h2 + m2), 0, l2, s2, r2, x2)).
    { destruct A as (A1 & A2 & A3 & A4). do 7 (split; [assumption || apply rnd64_format|]). split; [exact A1|]. split; [exact A2|]. set (X := worth memory i alpha beta c sum + _) in *. split.
      - replace (X - (h2 + m2 - rnd64 (h2 + m2)) - 0 - (rnd64 (h2 + m2) + l2)) with (X - m2 - (h2 + l2)) by ring. exact A3.
      - intros I L. specialize (A4 I L). lra. }
    destruct (low_added (0 + 13 + 13) _ _ _ _ _ _ _ _ (h2 + m2 - rnd64 (h2 + m2)) ltac:(lra) (error_format h2 m2 F1 F2) G1) as (l3 & s3 & E & G2 & _).
    assert (E' : exists l3 s3, add_to_low (rnd64 (h2 + m2)) (h2 + m2 - rnd64 (h2 + m2)) l2 s2 r2 x2 (h2 + m2 - rnd64 (h2 + m2)) = (rnd64 (h2 + m2), h2 + m2 - rnd64 (h2 + m2), l3, s3, r2, x2) /\
      add_to_low (rnd64 (h2 + m2)) 0 l2 s2 r2 x2 (h2 + m2 - rnd64 (h2 + m2)) = (rnd64 (h2 + m2), 0, l3, s3, r2, x2)) by (unfold add_to_low; cbv zeta; eexists; eexists; split; reflexivity).
    destruct E' as (l4 & s4 & E1 & E2). rewrite E1. rewrite E in E2. injection E2 as <- <-. apply (Final (0 + 13 + 13 + 1)); [lra|]. match goal with |- good _ _ ?a _ => match type of G2 with good _ _ ?b _ => replace a with b by ring end end. exact G2.
  - rewrite (M eq_refl) in G. apply (Final (0 + 13 + 13)); [lra | exact G].
Qed.
