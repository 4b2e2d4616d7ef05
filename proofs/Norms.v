(* The norms of dot2 (docs/modes.md): the roots of sums of squares, and sums of magnitudes of floats. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Dot2Source Dot2 Dot2Bound TreeSource Tree DotFloat NormsSource.

Open Scope R_scope.

Notation pow e := (bpow radix2 e).

Lemma root_close (t r d : R) : 0 <= r -> 0 <= d <= / 4 -> Rabs (t - r) <= d * r -> Rabs (sqrt t - sqrt r) <= (3 / 5) * d * sqrt r.
Proof.
  intros Hr Hd H. split_abs H. assert (Pr := sqrt_pos r). destruct (Req_dec r 0) as [Z|N].
  - rewrite Z in *. assert (t = 0) by lra. subst t. rewrite Rminus_diag_eq, Rabs_R0, sqrt_0 by reflexivity. lra.
  - assert (P : 0 < sqrt r) by (apply sqrt_lt_R0; lra). assert (T : (4 / 5) * sqrt r <= sqrt t).
    { rewrite <- (sqrt_square (4 / 5)) by lra. rewrite <- sqrt_mult by lra. apply sqrt_le_1; nra. }
    assert (E : (sqrt t - sqrt r) * (sqrt t + sqrt r) = t - r) by (assert (A := sqrt_sqrt t ltac:(nra)); assert (B := sqrt_sqrt r ltac:(lra)); lra).
    apply Rmult_le_reg_r with (sqrt t + sqrt r); [lra|]. rewrite <- (Rabs_pos_eq (sqrt t + sqrt r)) at 1 by lra. rewrite <- Rabs_mult, E.
    apply Rle_trans with (d * r); [apply Rabs_le; lra|]. rewrite <- (sqrt_sqrt r) at 1 by lra. assert (0 <= d * sqrt r) by (apply Rmult_le_pos; lra).
    replace (d * (sqrt r * sqrt r)) with (d * sqrt r * sqrt r) by ring. apply Rle_trans with ((3 / 5) * (d * sqrt r) * ((9 / 5) * sqrt r)); [nra|].
    replace ((3 / 5) * d * sqrt r * (sqrt t + sqrt r)) with ((3 / 5) * (d * sqrt r) * (sqrt t + sqrt r)) by ring. apply Rmult_le_compat_l; lra.
Qed.

Lemma squares_sum (x : Z -> R) (n : nat) : exact_sum (all_terms x x n) = sum_of_magnitudes (all_terms x x n) /\ 0 <= exact_sum (all_terms x x n) /\ forall i, (0 <= i < Z.of_nat n)%Z -> x i * x i <= exact_sum (all_terms x x n).
Proof.
  induction n as [|n (I1 & I2 & I3)]; [split; [reflexivity|]; split; [apply Rle_refl | intros; lia]|]. cbn [all_terms]. set (v := x (Z.of_nat n)).
  change (exact_sum ((v, v) :: all_terms x x n)) with (exact_sum (all_terms x x n) + v * v). change (sum_of_magnitudes ((v, v) :: all_terms x x n)) with (sum_of_magnitudes (all_terms x x n) + Rabs (v * v)).
  assert (P := Rle_0_sqr v). unfold Rsqr in P. rewrite (Rabs_pos_eq (v * v)) by exact P. split; [lra|]. split; [lra|]. intros i Hi. destruct (Z.eq_dec i (Z.of_nat n)) as [->|N]; [fold v; lra|]. specialize (I3 i ltac:(lia)). lra.
Qed.

(* Theorem: NRM2 keeps the bound of the document for doubles whose largest scaled square is no less than 2^-800, and for floats; ASUM keeps it for floats. The scale takes every number to
   squares between 2^-1000 and 2^1000, or to 2^-800 and more if it is 0 or 600. *)
Theorem norm_bounds :
  (forall (x : Z -> R) (n e i : Z), (forall i, format64 (x i)) -> (1 <= n <= 2 ^ 40)%Z -> (0 <= i < n)%Z -> pow (-800) <= x i * x i ->
    let exact := exact_sum (all_terms x x (Z.to_nat n)) in let g := gamma_bound (IZR (dot2_depth_dot n)) unit_roundoff_double in
    let (s, c) := tree_end dot2_combine 0 n (tree_of (fun pair _ i => dot2_step pair (x i, x i)) dot2_combine n 64) in
    Rabs (rnd64 (pow e * sqrt (s + c)) - pow e * sqrt exact) <= (u64 + g * g) * (pow e * sqrt exact) + pow (-1074)) /\
  (forall (x y : Z -> R) (n : Z), (forall i, format32 (x i) /\ format32 (y i)) -> (1 <= n <= 2 ^ 40)%Z -> let terms := all_terms x y (Z.to_nat n) in exact_sum terms = sum_of_magnitudes terms ->
    let g := gamma_bound (IZR (dot2_depth_dot n)) unit_roundoff_double in
    let s := fst (tree_end (fun p q => float_combine_source (fst p) (snd p) (fst q) (snd q)) 0 n
      (tree_of (fun pair _ i => float_step_source (fst pair) (snd pair) (x i) (y i)) (fun p q => float_combine_source (fst p) (snd p) (fst q) (snd q)) n 64)) in
    Rabs (rnd32 s - exact_sum terms) <= (u32 + g) * exact_sum terms + pow (-149)) /\
  (forall largest, format64 largest -> pow (-1074) <= largest < pow 1024 -> let m := largest * pow (- square_scale largest) in
    pow (-1000) <= m * m < pow 1000 /\ (square_scale largest <> (-600)%Z -> pow (-800) <= m * m)).
Proof.
  split; [|split].
  - intros x n e i F Hn Hi Hx exact g. assert (P := tree_pair x x n (fun i => conj (F i) (F i)) Hn). destruct (tree_end _ _ _ _) as (s, c). destruct P as (h & Hh & Eh & B). destruct (squares_sum x (Z.to_nat n)) as (Em & P0 & Part). change (2 ^ 40)%Z with 1099511627776%Z in Hn.
    fold exact in Em, P0, B, Part. rewrite <- Em in B. specialize (Part i ltac:(lia)). assert (I1 : 1 <= INR h <= 100) by (split; [change 1 with (INR 1); apply le_INR; lia | rewrite INR_IZR_INZ; apply IZR_le; lia]).
    assert (G := gamma_bound_above h ltac:(lia) ltac:(lra)). rewrite <- Eh in G. fold g in G. assert (G0 : u64 <= gamma h <= 200 * u64).
    { unfold gamma. set (t := INR h * u64). assert (T : u64 <= t <= 100 * u64) by (unfold t, u64; lra). split; apply Rmult_le_reg_r with (1 - t); try (unfold u64 in *; lra); replace (t / (1 - t) * (1 - t)) with t by (field; unfold u64 in *; lra); unfold u64 in *; nra. }
    assert (P800 := bpow_gt_0 radix2 (-800)). assert (Tiny : 2 * INR (Z.to_nat n) * pow (-1074) <= / 8 * (u64 * u64) * exact).
    { apply Rle_trans with (/ 8 * (u64 * u64) * pow (-800)); [|apply Rmult_le_compat_l; [unfold u64; lra | lra]]. apply Rle_trans with (pow 41 * pow (-1074)).
      - apply Rmult_le_compat_r; [apply bpow_ge_0|]. rewrite INR_IZR_INZ, Z2Nat.id by lia. change (pow 41) with (IZR (2 ^ 41)). rewrite <- (mult_IZR 2). apply IZR_le. change (2 ^ 41)%Z with 2199023255552%Z. lia.
      - rewrite u64_bpow. change (/ 8) with (pow (-3)). rewrite <- !bpow_plus. apply bpow_le. lia. }
    assert (GG : u64 * u64 <= gamma h * gamma h <= 40000 * (u64 * u64)) by (split; [apply Rmult_le_compat; unfold u64 in *; lra | replace (40000 * (u64 * u64)) with (200 * u64 * (200 * u64)) by ring; apply Rmult_le_compat; unfold u64 in *; lra]).
    set (gg := gamma h * gamma h) in *. assert (Gg : gg <= g * g) by (apply Rmult_le_compat; unfold u64 in *; lra).
    assert (R := root_close (s + c) exact (9 / 8 * gg) P0 ltac:(unfold u64 in *; lra) ltac:(assert (/ 8 * (u64 * u64) * exact <= / 8 * gg * exact) by (apply Rmult_le_compat_r; lra); lra)).
    set (q := sqrt (s + c)) in *. set (z := sqrt exact) in *. assert (Z0 : 0 <= z) by apply sqrt_pos. assert (Q0 : 0 <= q) by apply sqrt_pos. assert (Pe := bpow_gt_0 radix2 e).
    assert (Er := rnd64_error (pow e * q)). rewrite (Rabs_pos_eq (pow e * q)) in Er by (apply Rmult_le_pos; lra). rewrite <- eta_normal in Er. assert (Eta : bpow radix2 (-1075) <= pow (-1074)) by (apply bpow_le; lia).
    assert (D : Rabs (pow e * q - pow e * z) <= (27 / 40) * gg * (pow e * z)).
    { rewrite <- Rmult_minus_distr_l, Rabs_mult, (Rabs_pos_eq (pow e)) by lra. replace ((27 / 40) * gg * (pow e * z)) with (pow e * ((3 / 5) * (9 / 8 * gg) * z)) by field. apply Rmult_le_compat_l; lra. }
    assert (T : Rabs (rnd64 (pow e * q) - pow e * z) <= Rabs (rnd64 (pow e * q) - pow e * q) + Rabs (pow e * q - pow e * z)) by (replace (rnd64 (pow e * q) - pow e * z) with ((rnd64 (pow e * q) - pow e * q) + (pow e * q - pow e * z)) by ring; apply Rabs_triang).
    set (v := pow e * z) in *. assert (V0 : 0 <= v) by (apply Rmult_le_pos; lra). assert (Q : pow e * q <= v + (27 / 40) * gg * v) by (split_abs D; lra).
    assert (GV : gg * v <= g * g * v) by (apply Rmult_le_compat_r; lra). assert (GV0 : 0 <= gg * v) by (apply Rmult_le_pos; unfold u64 in *; lra). unfold u64 in *. lra.
  - intros x y n F Hn terms Em g s. assert (B := proj1 dot2_float_bounds x y n F Hn). cbv zeta in B. fold terms s in B. unfold float_within, dot2_bound in B.
    assert (Eu : unit_roundoff_float = u32) by (unfold unit_roundoff_float; lra). rewrite Eu in B. rewrite Req_bool_false in B by (unfold unit_roundoff_double; lra). fold g in B.
    assert (P : 0 <= exact_sum terms) by (rewrite Em; apply magnitudes_good). rewrite <- Em in B. rewrite (Rabs_pos_eq (exact_sum terms)) in B by exact P. assert (pow (-150) <= pow (-149)) by (apply bpow_le; lia). lra.
  - intros largest F (Hl & Hu). unfold square_scale. change (IZR 1) with 1. rewrite !Rmult_1_l.
    assert (Sq : forall m a b, pow a <= m < pow b -> pow (a + a) <= m * m < pow (b + b)).
    { intros m a b (H1 & H2). assert (Pa := bpow_gt_0 radix2 a). rewrite !bpow_plus. split; [apply Rmult_le_compat; lra | apply Rmult_le_0_lt_compat; lra]. }
    assert (Sc : forall e a b, pow a <= largest < pow b -> pow (a + e) <= largest * pow e < pow (b + e)).
    { intros e a b (H1 & H2). assert (P := bpow_gt_0 radix2 e). rewrite !bpow_plus. split; [apply Rmult_le_compat_r; lra | apply Rmult_lt_compat_r; lra]. }
    assert (Out : forall m a b, pow a <= m < pow b -> (-500 <= a)%Z -> (b <= 500)%Z -> pow (-1000) <= m * m < pow 1000).
    { intros m a b H Ha Hb. destruct (Sq m a b H) as (H1 & H2). split; [eapply Rle_trans; [|exact H1]; apply bpow_le; lia | eapply Rlt_le_trans; [exact H2|]; apply bpow_le; lia]. }
    destruct (Rlt_bool_spec largest (pow (-400))) as [L|L].
    + assert (H := Sc (- -600)%Z (-1074)%Z (-400)%Z ltac:(lra)). split; [|intros N; now elim N]. apply (Out _ _ _ H); lia.
    + match goal with |- context [rd64 (IZR ?c)] => replace (IZR c) with (pow 480) by (change (pow 480) with (IZR (2 ^ 480)); apply f_equal; vm_compute; reflexivity) end.
      rewrite (rnd64_exact (pow 480) (format64_bpow 480 ltac:(lia)) : rd64 (pow 480) = pow 480).
      destruct (Rlt_bool_spec largest (pow 480)) as [L2|L2].
      * assert (H := Sc (- 0)%Z (-400)%Z 480%Z ltac:(lra)). split; [apply (Out _ _ _ H); lia|]. intros _. apply (Sq _ _ _ H).
      * assert (H := Sc (- (600))%Z 480%Z 1024%Z ltac:(lra)). split; [apply (Out _ _ _ H); lia|]. intros _. eapply Rle_trans; [|apply (Sq _ _ _ H)]. apply bpow_le. lia.
Qed.
