(* The bound of the angle of a vector (lib/certified/spectrum_results.hpp: angle_of_rounded, and spectrum_results.cpp: angle_up; docs/eigenvalues.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource Outward CertifiedSource Linear Certified Ball Euclid ColumnsSource Columns EigenSource Eigen SpectrumSource Spectrum.

Open Scope R_scope.

Section Bounds.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.
Variable exponent_of : option R -> Z.
Hypothesis exponent_right : forall x, 0 < x -> x < pow (exponent_of (Some x)) /\ pow (exponent_of (Some x) - 1) <= x.

Notation add_up := (add_up bits_of number_of).
Notation mul_up := (mul_up bits_of number_of).
Notation div_up := (div_up bits_of number_of).
Let add_bound := add_bound bits_of bits_right.
Let mul_bound := mul_bound bits_of bits_right.

(* x and xl are the parts of a column of X, y is their sum, and v the column that the caller gets: each number is that of x, or the nearest float. *)
Variables (r : nat) (x xl v : nat -> R) (a : R) (outside : option R).
Let y i := x i + xl i.
Hypothesis r_small : (Z.of_nat r <= 2 ^ 45)%Z.
Hypothesis formats : forall i, (i < r)%nat -> format64 (x i) /\ format64 (xl i) /\ (v i = x i \/ v i = rd32 (x i)).
Hypothesis a_right : format64 a /\ 0 <= a < 1 /\ sqrt (1 - a) <= norm r y.
Definition lost (i : nat) : R := rd64 (rd64 (x i - v i) + xl i).
Hypothesis lost_finite : forall i, (i < r)%nat -> Rabs (lost i) < pow 1024.
(* The parts of y and of v outside of the span of the cluster's eigenvectors: the projection is linear and lengthens no vector. *)
Variables py pv : nat -> R.
Hypothesis outside_right : bound outside (norm r py).
Hypothesis projection : norm r pv <= norm r py + norm r (fun i => v i - y i).

Lemma moved_right : let moved := mul_up (norm_up bits_of number_of exponent_of (Z.of_nat r) (numbers lost)) (Some (rd64 (IZR 1 + IZR 1 / IZR 2251799813685248))) in bound moved (norm r (fun i => v i - y i)).
Proof.
  cbv zeta. assert (Sr := r_small). change (2 ^ 45)%Z with 35184372088832%Z in Sr. replace (IZR 1 / IZR 2251799813685248) with (pow (-51)) by (simpl; lra). rewrite one_and_power by lia.
  assert (N := proj1 (norm_up_bounds bits_of bits_right exponent_of exponent_right r (numbers lost) ltac:(change (2 ^ 50)%Z with 1125899906842624%Z; lia)
    ltac:(intros i Hi; unfold numbers; rewrite Nat2Z.id; split; [apply rnd64_format | now apply lost_finite]))).
  rewrite (norm_equal r _ lost) in N by (intros; unfold numbers; now rewrite Nat2Z.id). change (pow (-51)) with (/ 2251799813685248).
  assert (F : format64 (1 + / 2251799813685248)) by (change (/ 2251799813685248) with (pow (-51)); rewrite <- one_and_power by lia; apply rnd64_format).
  apply bound_weaker with (norm r lost * (1 + / 2251799813685248)).
  - apply mul_bound; [apply norm_positive | lra | exact N | apply bound_exact; [exact F | lra]].
  - rewrite Rmult_comm, <- (Rabs_pos_eq (1 + / 2251799813685248)), <- norm_scaled by lra. apply norm_monotone. intros i Hi. destruct (formats i Hi) as (Fx & Fl & V).
    assert (Fd : format64 (x i - v i)). { destruct V as [->| ->]; [rewrite Rminus_diag_eq by reflexivity; apply generic_format_0 | now apply float_error_format]. }
    unfold lost. rewrite (rnd64_exact _ Fd : rd64 (x i - v i) = _). assert (B := rnd64_sum (x i - v i) (xl i) Fd Fl). change (rnd64 (x i - v i + xl i)) with (rd64 (x i - v i + xl i)) in B.
    replace (v i - y i) with (- (x i - v i + xl i)) by (unfold y; ring). rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq (1 + _)) by lra. set (d := x i - v i + xl i) in *. set (l := rd64 d) in *.
    assert (T : Rabs d <= Rabs l + Rabs (l - d)) by (replace d with (l + - (l - d)) at 1 by ring; eapply Rle_trans; [apply Rabs_triang|]; rewrite Rabs_Ropp; lra). assert (P := Rabs_pos d). assert (P2 := Rabs_pos l). unfold u64 in *. lra.
Qed.

(* Theorem: the sine of the angle between v and the span is norm(P v) / norm(v). If `angle` is not half_pi_up, it is no smaller than the tangent of that angle. *)
Theorem angle_bound : match angle_of bits_of number_of exponent_of (Z.of_nat r) (numbers lost) outside (Some a) with
  | Some angle => angle = half_pi_up \/ (0 < norm r v /\ let sine := norm r pv / norm r v in sine < 3 / 4 /\ sine / sqrt (1 - sine * sine) <= angle) | None => True end.
Proof.
  unfold angle_of, angle_from, moved_by_rounding, angle_up. cbv zeta. assert (M := moved_right). cbv zeta in M. set (moved := mul_up _ _) in *. clearbody moved. destruct a_right as (Fa & Ha & Na). set (m := norm r (fun i => v i - y i)) in *. assert (Pm : 0 <= m) by apply norm_positive.
  assert (L := lower_minus bits_of bits_right _ _ _ _ (sqrt_down_lower bits_of bits_right _ _ (one_minus_lower bits_of bits_right a Fa ltac:(lra))) M). set (least := OutwardSource.below _ _ _) in *. clearbody least.
  assert (P1 := norm_positive r py). assert (B : bound (add_up outside moved) (norm r py + m)) by now apply add_bound.
  assert (Q := divided bits_of bits_right _ _ (norm r py + m) (sqrt (1 - a) - m) ltac:(lra) B L). set (s := div_up _ least) in *. clearbody s.
  destruct (negb (xlt s (Some (IZR 3 / IZR 4)))) eqn:E; [destruct (xlt outside None); [left; reflexivity | exact I]|].
  destruct s as [s|]; [|discriminate]. cbn [xlt] in E. destruct (Rlt_bool_spec s (IZR 3 / IZR 4)) as [S|]; [|discriminate]. clear E. destruct Q as (Fs & Ps & Pl & Ls).
  assert (Bs : bound (mul_up (Some s) (Some s)) (s * s)) by (apply mul_bound; try assumption; now apply bound_exact).
  assert (One : lower (Some (IZR 1)) 1) by (exists 1; repeat split; [apply (format64_bpow 0); lia | lra | lra]).
  assert (L2 := sqrt_down_lower bits_of bits_right _ _ (lower_minus bits_of bits_right _ _ _ _ One Bs)). assert (Q := divided bits_of bits_right (Some s) _ s (sqrt (1 - s * s)) Ps (bound_exact s Fs Ps) L2).
  destruct (div_up (Some s) _) as [angle|]; [|exact I]. destruct Q as (_ & _ & Pr & La). right.
  assert (Nv : sqrt (1 - a) - m <= norm r v).
  { assert (T := norm_triangle r v (fun i => - (v i - y i))). cbv beta in T. rewrite (norm_equal r (fun i => v i + - (v i - y i)) y) in T by (intros; ring). rewrite (norm_equal r (fun i => - (v i - y i)) (fun i => -1 * (v i - y i))) in T by (intros; ring).
    rewrite norm_scaled, Rabs_left in T by lra. fold m in T. lra. }
  assert (Pv : 0 < norm r v) by lra. split; [exact Pv|]. cbv zeta. set (sine := norm r pv / norm r v). assert (P2 := norm_positive r pv).
  assert (S0 : 0 <= sine) by (apply Rmult_le_pos; [exact P2 | left; now apply Rinv_0_lt_compat]).
  assert (S1 : sine <= s).
  { eapply Rle_trans; [|exact Ls]. unfold sine, Rdiv. apply Rmult_le_compat; [exact P2 | left; now apply Rinv_0_lt_compat | exact projection | apply Rinv_le_contravar; lra]. }
  assert (Sq : sine * sine <= s * s) by (apply Rmult_le_compat; lra). assert (S2 : s * s < 1) by nra. assert (R1 : 0 < sqrt (1 - sine * sine)) by (apply sqrt_lt_R0; lra). assert (R2 : sqrt (1 - s * s) <= sqrt (1 - sine * sine)) by (apply sqrt_le_1_alt; lra).
  split; [lra|]. eapply Rle_trans; [|exact La]. unfold Rdiv. apply Rmult_le_compat; [exact S0 | left; now apply Rinv_0_lt_compat | exact S1 | now apply Rinv_le_contravar].
Qed.
End Bounds.
