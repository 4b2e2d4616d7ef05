(* Sums in doubles of numbers that are not negative, in any order, and what int8_measure makes of them: the lambda and the norm of a line (lib/cpu/int8/int8_operand.cpp). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats SumsSource.

Open Scope R_scope.

(* Operations on numbers that are not negative. *)
Notation lower := (1 - u64).

Lemma lower_range : 0 < lower < 1.
Proof. unfold u64. lra. Qed.

Lemma sum_at_least (x y : R) : format64 x -> format64 y -> 0 <= x + y -> lower * (x + y) <= rnd64 (x + y).
Proof. intros Fx Fy P. assert (B := rnd64_sum x y Fx Fy). rewrite (Rabs_pos_eq (x + y)) in B by exact P. apply Rabs_le_inv in B. lra. Qed.

Lemma rnd64_zero : rnd64 0 = 0.
Proof. apply round_0. typeclasses eauto. Qed.

Lemma rounded_at_least (x : R) : x = 0 \/ normal64 <= x -> lower * x <= rnd64 x.
Proof.
  intros [->|H]; [rewrite Rmult_0_r, rnd64_zero; lra|]. assert (N := normal64_positive).
  assert (X : Rabs x = x) by (apply Rabs_pos_eq; lra). assert (B := rnd64_normal x). rewrite X in B. specialize (B H). apply Rabs_le_inv in B. lra.
Qed.

Lemma one_and_power (e : Z) : (-52 <= e <= 0)%Z -> rd64 (IZR 1 + bpow radix2 e) = 1 + bpow radix2 e.
Proof.
  intros H. apply rnd64_exact. apply generic_format_FLT. exists (Float radix2 (2 ^ (- e) + 1) e).
  - unfold F2R. cbn [Fnum Fexp]. rewrite plus_IZR, (IZR_Zpower radix2) by lia. rewrite Rmult_plus_distr_r, <- bpow_plus. replace (- e + e)%Z with 0%Z by lia. simpl. ring.
  - cbn [Fnum]. assert (0 < 2 ^ (- e) <= 2 ^ 52)%Z by (split; [apply Z.pow_pos_nonneg; lia | apply Z.pow_le_mono_r; lia]). change (Z.abs (2 ^ (- e) + 1) < 2 ^ 53)%Z. lia.
  - cbn [Fexp]. lia.
Qed.

Lemma enlargement : rd64 (IZR 1 + IZR 1 / IZR 1125899906842624) = 1 + / 1125899906842624.
Proof. replace (IZR 1 / IZR 1125899906842624) with (bpow radix2 (-50)) by (simpl; lra). rewrite one_and_power by lia. simpl. lra. Qed.

Lemma format64_scaled (x : R) (e : Z) : format64 x -> x = 0 \/ bpow radix2 (-1022) <= Rabs x * bpow radix2 e -> format64 (x * bpow radix2 e).
Proof.
  intros Fx [->|H]; [rewrite Rmult_0_l; apply generic_format_0|]. destruct (Req_dec x 0) as [->|N]; [rewrite Rmult_0_l; apply generic_format_0|].
  assert (M : (-1022 < mag radix2 x + e)%Z).
  { rewrite <- mag_mult_bpow by exact N. apply mag_gt_bpow. now rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0. }
  assert (X := FLT_format_generic radix2 (-1074) 53 x Fx). destruct X as [(m, f) Em Hm Hf]. cbn [Fnum Fexp] in *.
  assert (G : generic_format radix2 (FLX_exp 53) (x * bpow radix2 e)).
  { apply generic_format_FLX. exists (Float radix2 m (f + e)); [|exact Hm]. rewrite Em. unfold F2R. cbn [Fnum Fexp]. rewrite bpow_plus. ring. }
  apply generic_format_FLT_FLX; [|exact G]. rewrite Rabs_mult, (Rabs_pos_eq (bpow _ _)) by apply bpow_ge_0. exact H.
Qed.

Definition sum_of (f : R -> R) (xs : list R) : R := fold_right (fun x r => r + f x) 0 xs.
(* lambda's terms. *)
Definition ceiling (E : Z) (x : R) : R := IZR (Zceil (Rabs x * bpow radix2 (24 - E))).

(* Sums of numbers that are not negative, in any order of additions. *)
Inductive adds : list R -> R -> Prop :=
| adds_nothing : adds nil 0
| adds_one (x : R) : adds (x :: nil) x
| adds_two (l r : list R) (a b : R) : adds l a -> adds r b -> adds (l ++ r) (rnd64 (a + b)).

Definition total (xs : list R) : R := sum_of (fun x => x) xs.
Definition nonzeros (xs : list R) : nat := length (filter (fun x => negb (Req_bool x 0)) xs).

Lemma total_app (l r : list R) : total (l ++ r) = total l + total r.
Proof. unfold total, sum_of. induction l as [|x l IH]; simpl; [lra|]. rewrite IH. lra. Qed.

Lemma nonzeros_app (l r : list R) : nonzeros (l ++ r) = (nonzeros l + nonzeros r)%nat.
Proof. unfold nonzeros. now rewrite filter_app, app_length. Qed.

Lemma adds_lower (xs : list R) (v : R) : adds xs v -> Forall (fun x => 0 <= x /\ format64 x) xs ->
  0 <= v /\ format64 v /\ 0 <= total xs /\ (nonzeros xs = 0%nat -> v = 0 /\ total xs = 0) /\ lower ^ Nat.pred (nonzeros xs) * total xs <= v.
Proof.
  intros H. assert (L := lower_range). induction H as [|x|l r a b Hl IHl Hr IHr]; intros F.
  - unfold total, sum_of. simpl. repeat split; try lra. apply generic_format_0.
  - inversion_clear F as [|? ? (P & G) _]. unfold total, sum_of, nonzeros. simpl. destruct (Req_bool_spec x 0) as [->|N]; simpl; repeat split; try lra; try assumption; try discriminate.
  - apply Forall_app in F as (Fl & Fr). destruct (IHl Fl) as (A0 & Fa & Tl & Zl & Bl). destruct (IHr Fr) as (B0 & Fb & Tr & Zr & Br).
    rewrite total_app, nonzeros_app. assert (Su := sum_at_least a b Fa Fb ltac:(lra)). split; [apply rnd64_nonnegative; lra|]. split; [apply rnd64_format|]. split; [lra|].
    assert (Pw : forall n m, (n <= m)%nat -> lower ^ m <= lower ^ n).
    { intros n m Hnm. induction Hnm as [|m Hnm IH]; [lra|]. simpl. assert (0 <= lower ^ m) by (apply pow_le; lra). nra. }
    destruct (nonzeros l) as [|n] eqn:El; [|destruct (nonzeros r) as [|m] eqn:Em].
    + destruct (Zl eq_refl) as (-> & ->). rewrite Rplus_0_l, (rnd64_exact b Fb). simpl plus. rewrite Rplus_0_l. split; [exact Zr | exact Br].
    + destruct (Zr eq_refl) as (-> & ->). rewrite Rplus_0_r, (rnd64_exact a Fa). rewrite Nat.add_0_r, Rplus_0_r. split; [exact Zl | exact Bl].
    + split; [discriminate|]. eapply Rle_trans; [|exact Su].
      cbn [Nat.pred] in *. replace (Nat.pred (S n + S m)) with (S (n + m)) by lia. assert (P1 := Pw (S n) (S (n + m)) ltac:(lia)). assert (P2 := Pw (S m) (S (n + m)) ltac:(lia)).
      assert (Q1 := Rmult_le_compat_r (total l) _ _ Tl P1). assert (Q2 := Rmult_le_compat_r (total r) _ _ Tr P2).
      change (lower ^ S n) with (lower * lower ^ n) in Q1. change (lower ^ S m) with (lower * lower ^ m) in Q2. nra.
Qed.

Definition whole (x : R) : Prop := exists n : Z, (0 <= n)%Z /\ x = IZR n.

Lemma adds_exact (xs : list R) (v : R) : adds xs v -> Forall (fun x => whole x /\ format64 x) xs -> v < 9007199254740992 -> v = total xs /\ whole v.
Proof.
  intros H. induction H as [|x|l r a b Hl IHl Hr IHr]; intros F V.
  - split; [reflexivity | exists 0%Z; split; [lia | reflexivity]].
  - inversion_clear F as [|? ? (W & _) _]. split; [unfold total, sum_of; simpl; lra | exact W].
  - apply Forall_app in F as (Fl & Fr).
    assert (Nn : forall xs, Forall (fun x => whole x /\ format64 x) xs -> Forall (fun x => 0 <= x /\ format64 x) xs).
    { intros ys. apply Forall_impl. intros y ((n & Hn & ->) & G). split; [apply IZR_le; lia | exact G]. }
    destruct (adds_lower l a Hl (Nn _ Fl)) as (A0 & Fa & _). destruct (adds_lower r b Hr (Nn _ Fr)) as (B0 & Fb & _).
    assert (Va : a <= rnd64 (a + b)) by (rewrite <- (rnd64_exact a Fa) at 1; apply rnd64_le; lra). assert (Vb : b <= rnd64 (a + b)) by (rewrite <- (rnd64_exact b Fb) at 1; apply rnd64_le; lra).
    destruct (IHl Fl ltac:(lra)) as (Ea & n & Hn & Wa). destruct (IHr Fr ltac:(lra)) as (Eb & m & Hm & Wb).
    rewrite total_app, <- Ea, <- Eb. rewrite Wa, Wb, <- plus_IZR in *.
    assert (B : (n + m < 9007199254740992)%Z).
    { apply Z.nle_gt. intros Q. apply IZR_le in Q. apply rnd64_le in Q. change (rnd64 9007199254740992) with (rnd64 (bpow radix2 53)) in Q. rewrite (rnd64_exact (bpow radix2 53)) in Q by (apply format64_bpow; lia).
      change (bpow radix2 53) with 9007199254740992 in Q. lra. }
    assert (E := rd64_integer (n + m) ltac:(change (2 ^ 53)%Z with 9007199254740992%Z; lia)). unfold rd64 in E. rewrite E. split; [reflexivity | exists (n + m)%Z; split; [lia | reflexivity]].
Qed.

(* The slack pays for the roundings of a sum, and its own. *)
Lemma slack_pays (k : Z) (n : nat) : (0 <= k <= 2 ^ 40)%Z -> (Z.of_nat n <= k)%Z ->
  let slack := rd64 (IZR 1 + rd64 (rd64 (IZR (k + 8)) * (IZR 1 / IZR 4503599627370496))) in format64 slack /\ 1 <= slack /\ 1 <= lower * lower * (lower ^ n * slack).
Proof.
  intros Hk Hn slack. change (2 ^ 40)%Z with 1099511627776%Z in Hk. set (x := IZR (k + 8) * bpow radix2 (-52)).
  assert (Fx : format64 x). { apply generic_format_FLT. exists (Float radix2 (k + 8) (-52)); [reflexivity | cbn [Fnum]; change (Z.abs (k + 8) < 2 ^ 53)%Z; change (2 ^ 53)%Z with 9007199254740992%Z; lia | cbn [Fexp]; lia]. }
  assert (K : IZR (k + 8) = IZR k + 8) by apply plus_IZR. assert (K0 : 0 <= IZR k) by (apply IZR_le; lia). assert (K1 : IZR k <= 1099511627776) by (apply IZR_le; lia).
  assert (Ex : rd64 (rd64 (IZR (k + 8)) * (IZR 1 / IZR 4503599627370496)) = x).
  { rewrite rd64_integer by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). unfold x. replace (IZR 1 / IZR 4503599627370496) with (bpow radix2 (-52)) by (simpl; lra). now apply rnd64_exact. }
  assert (X : x = 2 * (IZR k + 8) * u64) by (unfold x, u64; rewrite K; simpl; lra).
  assert (One : format64 1) by (change 1 with (bpow radix2 0); apply format64_bpow; lia). assert (X0 : 0 <= x) by (rewrite X; unfold u64; lra).
  assert (S : lower * (1 + x) <= slack) by (unfold slack; rewrite Ex; apply sum_at_least; [exact One | exact Fx | lra]).
  assert (S1 : 1 <= slack) by (unfold slack; rewrite Ex; rewrite <- (rnd64_exact 1 One) at 1; apply rnd64_le; lra).
  split; [apply rnd64_format|]. split; [exact S1|].
  assert (Be : 1 - INR n * u64 <= lower ^ n).
  { clear. induction n as [|n IH]; [simpl; lra|]. rewrite S_INR. simpl (lower ^ S n). assert (0 <= INR n) by apply pos_INR. assert (L := lower_range). assert (U : 0 < u64) by (unfold u64; lra).
    assert (Q : lower * (1 - INR n * u64) <= lower * lower ^ n) by (apply Rmult_le_compat_l; lra). nra. }
  assert (N : INR n <= IZR k) by (rewrite INR_IZR_INZ; apply IZR_le; lia). assert (U : 0 < u64) by (unfold u64; lra). assert (L := lower_range).
  assert (Ku : IZR k * u64 <= / 8192) by (unfold u64; lra). assert (Kp : 0 <= IZR k * u64) by (apply Rmult_le_pos; lra).
  assert (B1 : 1 - IZR k * u64 <= lower ^ n) by nra.
  assert (Pr : (1 - IZR k * u64) * (lower * (1 + x)) <= lower ^ n * slack) by (apply Rmult_le_compat; try lra; apply Rmult_le_pos; lra).
  assert (Q : 1 + 4 * u64 <= (1 - IZR k * u64) * (lower * (1 + x))).
  { rewrite X. set (t := IZR k * u64) in *. replace (2 * (IZR k + 8) * u64) with (2 * t + 16 * u64) by (unfold t; ring).
    assert (T1 : t * (2 * t + 16 * u64) <= / 8192 * (2 * t + 16 * u64)) by (apply Rmult_le_compat_r; lra).
    assert (T2 : u64 * (1 + (2 * t + 16 * u64)) * (1 - t) <= u64 * (1 + (2 * t + 16 * u64)) * 1) by (apply Rmult_le_compat_l; [apply Rmult_le_pos|]; lra).
    assert (T3 : u64 * (2 * t + 16 * u64) <= u64 * 1) by (apply Rmult_le_compat_l; [lra | unfold u64 in *; lra]). lra. }
  apply Rle_trans with (lower * lower * (1 + 4 * u64)); [unfold u64; lra|]. apply Rmult_le_compat_l; [apply Rmult_le_pos; lra | lra].
Qed.

Lemma total_permutation (xs ys : list R) : Permutation xs ys -> total xs = total ys.
Proof. intros H. induction H; unfold total, sum_of in *; simpl in *; lra. Qed.

Lemma total_map (f : R -> R) (xs : list R) : total (map f xs) = sum_of f xs.
Proof. unfold total, sum_of. induction xs as [|x xs IH]; simpl; [reflexivity|]. now rewrite IH. Qed.

Lemma ceiling_whole (E : Z) (x : R) : Rabs x < bpow radix2 E -> exists n : Z, (0 <= n <= 16777216)%Z /\ ceiling E x = IZR n /\ (n = 0%Z -> x = 0).
Proof.
  intros H. exists (Zceil (Rabs x * bpow radix2 (24 - E))). assert (P := bpow_gt_0 radix2 (24 - E)). assert (A := Rabs_pos x). split; [|split; [reflexivity|]].
  - split.
    + apply le_IZR. eapply Rle_trans; [|apply Zceil_ub]. apply Rmult_le_pos; lra.
    + apply Zceil_glb. change 16777216%Z with (2 ^ 24)%Z. rewrite (IZR_Zpower radix2) by lia. replace (bpow radix2 24) with (bpow radix2 E * bpow radix2 (24 - E)) by (rewrite <- bpow_plus; f_equal; lia). nra.
  - intros Z0. assert (U := Zceil_ub (Rabs x * bpow radix2 (24 - E))). rewrite Z0 in U. destruct (Req_dec x 0) as [Q|Q]; [exact Q|]. apply Rabs_pos_lt in Q. nra.
Qed.

Lemma integer_format (n : Z) : (0 <= n <= 2 ^ 48)%Z -> format64 (IZR n).
Proof. intros H. rewrite <- (rd64_integer n) by (change (2 ^ 53)%Z with (32 * 2 ^ 48)%Z; lia). apply rnd64_format. Qed.

(* Theorem: lambda and the norm of a line that the code adds up in doubles, in any order, are no smaller than the sum of the ceilings and than the norm. So they are what line_known asks for. *)
Theorem measured_bounds (xs terms squares : list R) (E k first i : Z) (norm lambda sum_squares sum_lambda : Z -> R) : (0 <= k <= 2 ^ 40)%Z ->
  Forall (fun x => Rabs x < bpow radix2 E) xs -> Permutation terms (map (ceiling E) xs) -> Permutation squares (map (fun x => ceiling E x * ceiling E x) xs) ->
  (Z.of_nat (nonzeros terms) <= k)%Z -> (Z.of_nat (nonzeros squares) <= k)%Z -> adds terms (sum_lambda i) -> adds squares (sum_squares i) ->
  let '(norms, lambdas) := measured norm lambda sum_squares sum_lambda k first i in let own := lambdas (first + i)%Z in let size := norms (first + i)%Z in
  (format64 own /\ (own = 0 \/ 1 <= own) /\ sum_of (ceiling E) xs <= own) /\
  (sqrt (sum_of (fun x => ceiling E x * ceiling E x) xs) * bpow radix2 (-24) <= size /\ (size <= 0 -> Forall (fun x => x = 0) xs)).
Proof.
  intros Hk Hx P1 P2 N1 N2 A1 A2. unfold measured. assert (Up : forall f v, update f (first + i) v (first + i)%Z = v :> R) by (intros; unfold update; now rewrite Z.eqb_refl). rewrite !Up. clear Up.
  assert (T1 : total terms = sum_of (ceiling E) xs) by (rewrite (total_permutation _ _ P1); apply total_map).
  assert (T2 : total squares = sum_of (fun x => ceiling E x * ceiling E x) xs) by (rewrite (total_permutation _ _ P2); apply total_map).
  assert (W1 : Forall (fun x => whole x /\ format64 x) terms).
  { rewrite Forall_forall in *. intros y I. apply (Permutation_in y P1) in I. apply in_map_iff in I as (x & <- & I). destruct (ceiling_whole E x (Hx x I)) as (n & Hn & -> & _).
    split; [exists n; split; [lia | reflexivity] | apply integer_format; lia]. }
  assert (W2 : Forall (fun x => whole x /\ format64 x) squares).
  { rewrite Forall_forall in *. intros y I. apply (Permutation_in y P2) in I. apply in_map_iff in I as (x & <- & I). destruct (ceiling_whole E x (Hx x I)) as (n & Hn & -> & _).
    rewrite <- mult_IZR. split; [exists (n * n)%Z; split; [nia | reflexivity] | apply integer_format; change (2 ^ 48)%Z with (16777216 * 16777216)%Z; nia]. }
  assert (Nn : forall xs, Forall (fun x => whole x /\ format64 x) xs -> Forall (fun x => 0 <= x /\ format64 x) xs).
  { intros ys. apply Forall_impl. intros y ((n & Hn & ->) & G). split; [apply IZR_le; lia | exact G]. }
  destruct (adds_lower _ _ A1 (Nn _ W1)) as (V1 & F1 & S1 & _ & B1). destruct (adds_lower _ _ A2 (Nn _ W2)) as (V2 & F2 & S2 & _ & B2).
  assert (M1 : (Z.of_nat (Nat.pred (nonzeros terms)) <= k)%Z) by lia. assert (M2 : (Z.of_nat (Nat.pred (nonzeros squares)) <= k)%Z) by lia.
  destruct (slack_pays k _ Hk M1) as (_ & Sl & Q1). destruct (slack_pays k _ Hk M2) as (_ & _ & Q2). rewrite T1 in *. rewrite T2 in *.
  set (slack := rd64 (IZR 1 + _)) in *. assert (L := lower_range). assert (Nm := normal64_positive).
  assert (Pos : forall n, 0 < lower ^ n) by (intros n; apply pow_lt; lra).
  split.
  - assert (Li : rd64 (IZR 9007199254740992) = 9007199254740992) by (apply rnd64_exact; change (IZR 9007199254740992) with (bpow radix2 53); apply format64_bpow; lia). rewrite Li.
    destruct (Rlt_bool_spec (sum_lambda i) 9007199254740992) as [C|C].
    + destruct (adds_exact _ _ A1 W1 C) as (Ev & n & Hn & En). rewrite T1 in Ev. split; [exact F1|]. split; [|lra].
      rewrite En. destruct (Z.eq_dec n 0) as [->|Z0]; [now left | right; apply IZR_le; lia].
    + assert (Bg : 9007199254740992 <= sum_lambda i * slack) by nra. assert (Nr : normal64 <= sum_lambda i * slack).
      { eapply Rle_trans; [|exact Bg]. change 9007199254740992 with (bpow radix2 53). unfold normal64. apply bpow_le. lia. }
      assert (R1 := rounded_at_least _ (or_intror Nr)). unfold rd64. split; [apply rnd64_format|].
      assert (G : sum_of (ceiling E) xs <= rnd64 (sum_lambda i * slack)).
      { eapply Rle_trans; [|exact R1]. assert (X : lower ^ Nat.pred (nonzeros terms) * sum_of (ceiling E) xs * slack <= sum_lambda i * slack) by (apply Rmult_le_compat_r; lra).
        apply Rle_trans with (lower * lower * (lower ^ Nat.pred (nonzeros terms) * slack) * sum_of (ceiling E) xs); [rewrite <- (Rmult_1_l (sum_of _ _)) at 1; apply Rmult_le_compat_r; lra|].
        replace (lower * lower * (lower ^ Nat.pred (nonzeros terms) * slack) * sum_of (ceiling E) xs) with (lower * (lower * (lower ^ Nat.pred (nonzeros terms) * sum_of (ceiling E) xs * slack))) by ring.
        apply Rmult_le_compat_l; [lra|]. assert (0 <= lower ^ Nat.pred (nonzeros terms) * sum_of (ceiling E) xs * slack) by (apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rlt_le, Pos | exact S1] | lra]). nra. }
      split; [right | exact G]. apply (rnd64_at_least 0); [lia|]. change (bpow radix2 0) with 1. lra.
  - rewrite enlargement. set (Q := sum_of (fun x => ceiling E x * ceiling E x) xs) in *. set (c := bpow radix2 (-24) * (1 + / 1125899906842624)).
    assert (Ec : rd64 (IZR 1 / IZR 16777216 * (1 + / 1125899906842624)) = c).
    { replace (IZR 1 / IZR 16777216 * (1 + / 1125899906842624)) with ((1 + bpow radix2 (-50)) * bpow radix2 (-24)) by (simpl; lra). replace c with ((1 + bpow radix2 (-50)) * bpow radix2 (-24)) by (unfold c; simpl; lra).
      apply rnd64_exact. rewrite <- (one_and_power (-50)) by lia. apply format64_scaled; [apply rnd64_format|]. right. rewrite (one_and_power (-50)) by lia. simpl (bpow radix2 (-50)).
      rewrite Rabs_pos_eq by lra. apply Rle_trans with (bpow radix2 (-24)); [apply bpow_le; lia | assert (X := bpow_gt_0 radix2 (-24)); lra]. }
    rewrite Ec. assert (Pc := bpow_gt_0 radix2 (-24)). assert (Zero : Q = 0 \/ 1 <= Q).
    { assert (Wq : exists n : Z, (0 <= n)%Z /\ Q = IZR n).
      { rewrite <- T2. clear - W2. induction squares as [|y ys IH]; [exists 0%Z; split; [lia | reflexivity]|]. inversion_clear W2 as [|? ? ((n & Hn & ->) & _) W]. destruct (IH W) as (m & Hm & Em).
        exists (m + n)%Z. split; [lia|]. unfold total, sum_of in *. simpl. now rewrite Em, plus_IZR. }
      destruct Wq as (n & Hn & ->). destruct (Z.eq_dec n 0) as [->|Z0]; [now left | right; apply IZR_le; lia]. }
    assert (Low : sqrt Q * bpow radix2 (-24) <= rd64 (rd64 (sqrt (rd64 (sum_squares i * slack))) * c)).
    { destruct Zero as [E0|Q1']; [rewrite E0, sqrt_0, Rmult_0_l; apply rnd64_nonnegative, Rmult_le_pos; [apply rnd64_nonnegative, sqrt_pos | unfold c; apply Rmult_le_pos; lra]|].
      set (n := Nat.pred (nonzeros squares)) in *. assert (X : lower ^ n * slack * Q <= sum_squares i * slack) by (replace (lower ^ n * slack * Q) with (lower ^ n * Q * slack) by ring; apply Rmult_le_compat_r; lra).
      assert (Y0 : 0 < lower ^ n * slack) by (apply Rmult_lt_0_compat; [apply Pos | lra]). assert (Y : 1 <= lower * (lower ^ n * slack)) by nra. assert (Y' : 1 <= lower ^ n * slack) by nra.
      assert (B0 : forall z, 1 <= z -> normal64 <= z) by (intros z Hz; eapply Rle_trans; [|exact Hz]; change 1 with (bpow radix2 0); unfold normal64; apply bpow_le; lia).
      assert (Z1 : 1 <= sum_squares i * slack) by nra. assert (R1 := rounded_at_least _ (or_intror (B0 _ Z1))). unfold rd64. set (w := rnd64 (sum_squares i * slack)) in *.
      assert (Wq : Q <= w) by nra. assert (Sq : sqrt Q <= sqrt w) by now apply sqrt_le_1_alt. assert (Sq1 : 1 <= sqrt Q) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra).
      assert (Sw : 1 <= sqrt w) by lra. assert (R2 := rounded_at_least (sqrt w) (or_intror (B0 _ Sw))). set (v := rnd64 (sqrt w)) in *. assert (Vl : lower * sqrt Q <= v) by nra. assert (Cc : bpow radix2 (-24) <= c) by (unfold c; lra).
      assert (R3 : lower * (v * c) <= rnd64 (v * c)).
      { apply rounded_at_least. right. apply Rle_trans with (lower * bpow radix2 (-24)); [|apply Rmult_le_compat; nra]. apply Rle_trans with (bpow radix2 (-25)); [unfold normal64; apply bpow_le; lia|].
        replace (bpow radix2 (-25)) with (/ 2 * bpow radix2 (-24)) by (simpl; lra). apply Rmult_le_compat_r; [lra | unfold u64; lra]. }
      eapply Rle_trans; [|exact R3]. apply Rle_trans with (lower * (lower * sqrt Q * c)); [|apply Rmult_le_compat_l; [lra | apply Rmult_le_compat_r; lra]].
      unfold c. replace (lower * (lower * sqrt Q * (bpow radix2 (-24) * (1 + / 1125899906842624)))) with (lower * lower * (1 + / 1125899906842624) * (sqrt Q * bpow radix2 (-24))) by ring.
      rewrite <- (Rmult_1_l (sqrt Q * _)) at 1. apply Rmult_le_compat_r; [apply Rmult_le_pos; lra | unfold u64; lra]. }
    split; [exact Low|]. intros Neg. assert (Q0 : Q = 0).
    { destruct Zero as [E0|Q1']; [exact E0|]. exfalso. assert (1 <= sqrt Q) by (rewrite <- sqrt_1; apply sqrt_le_1_alt; lra). assert (0 < sqrt Q * bpow radix2 (-24)) by (apply Rmult_lt_0_compat; lra). lra. }
    assert (Each : forall xs, Forall (fun x => Rabs x < bpow radix2 E) xs -> sum_of (fun x => ceiling E x * ceiling E x) xs = 0 -> Forall (fun x => x = 0) xs).
    { intros ys H. assert (G : 0 <= sum_of (fun x => ceiling E x * ceiling E x) ys /\ (sum_of (fun x => ceiling E x * ceiling E x) ys = 0 -> Forall (fun x => x = 0) ys)); [|tauto].
      induction H as [|y ys Hy H (I0 & I1)]; [split; [unfold sum_of; simpl; lra | constructor]|].
      change (sum_of (fun x => ceiling E x * ceiling E x) (y :: ys)) with (sum_of (fun x => ceiling E x * ceiling E x) ys + ceiling E y * ceiling E y).
      destruct (ceiling_whole E y Hy) as (n & Hn & En & Z0). rewrite En. assert (N0 : 0 <= IZR n) by (apply IZR_le; lia). split; [nra|]. intros S0. assert (IZR n = 0) by nra. constructor; [apply Z0, eq_IZR; lra | apply I1; nra]. }
    now apply Each.
Qed.
