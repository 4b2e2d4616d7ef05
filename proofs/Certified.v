(* The bounds of the certified solver (docs/certified.md): from the inverse to the radius of an unknown. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource Outward CertifiedSource Linear.

Open Scope R_scope.

Lemma inverse_unit : inverse_roundoff = u64. Proof. unfold inverse_roundoff, u64. lra. Qed.
Lemma judge_unit : judge_roundoff = u64. Proof. unfold judge_roundoff, u64. lra. Qed.

Section Bounds.
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.

Notation add_up := (add_up bits_of number_of).
Notation mul_up := (mul_up bits_of number_of).
Notation div_up := (div_up bits_of number_of).
Notation sum_up := (sum_up bits_of number_of).
Let add_bound := add_bound bits_of bits_right.
Let mul_bound := mul_bound bits_of bits_right.
Let div_bound := div_bound bits_of bits_right.

Notation summed := (summed bits_of).
Let summed_bound := summed_bound bits_of bits_right.
Let sum_of_array := sum_of_array bits_of bits_right.

(* The system: M is the exact matrix in the scales of the code, A the stored one. X is the approximate inverse R of the document, and lies in K / n parts side by side. *)
Variables (n K : nat) (M A X : nat -> nat -> R) (inexact : bool).
Let row k := (k mod n)%nat.
Let G i j := identity i j - sum_to K (fun k => X i k * M (row k) j).
Let D i j := identity i j - sum_to K (fun k => X i k * A (row k) j).
Definition loss : R := if inexact then pow (-1074) else 0.
Hypothesis A_near : forall k j, (k < n)%nat -> (j < n)%nat -> Rabs (M k j - A k j) <= loss.
Hypothesis sizes : (0 < n)%nat /\ (Z.of_nat K <= 2 ^ 50)%Z /\ (Z.of_nat n <= 2 ^ 50)%Z.

Lemma row_below (k : nat) : (row k < n)%nat.
Proof. apply Nat.mod_upper_bound. lia. Qed.

Lemma loss_positive : 0 <= loss.
Proof. unfold loss. destruct inexact; [apply bpow_ge_0 | lra]. Qed.

(* G from its rounded elements. *)
Lemma element_near (i j : nat) : (i < n)%nat -> (j < n)%nat ->
  Rabs (G i j) <= (1 + u64) * Rabs (rd64 (D i j)) + pow (-1075) + loss * sum_to K (fun k => Rabs (X i k)).
Proof.
  intros Hi Hj. assert (H := rounded_result (D i j)).
  assert (E : G i j = rd64 (D i j) + (D i j - rd64 (D i j)) + (G i j - D i j)) by ring. rewrite E.
  assert (L : Rabs (G i j - D i j) <= loss * sum_to K (fun k => Rabs (X i k))).
  { replace (G i j - D i j) with (sum_to K (fun k => X i k * A (row k) j) - sum_to K (fun k => X i k * M (row k) j)) by (unfold G, D; ring).
    rewrite <- sum_minus. eapply Rle_trans; [apply sum_absolute|]. rewrite Rmult_comm, <- sum_scaled. apply sum_monotone. intros k Hk.
    replace (X i k * A (row k) j - X i k * M (row k) j) with (X i k * - (M (row k) j - A (row k) j)) by ring. rewrite Rabs_mult, Rabs_Ropp.
    apply Rmult_le_compat_l; [apply Rabs_pos|]. apply A_near; [apply row_below | exact Hj]. }
  eapply Rle_trans; [apply Rabs_triang|]. assert (T := Rabs_triang (rd64 (D i j)) (D i j - rd64 (D i j))). lra.
Qed.

(* The weights, and the sums that the code gets for them. *)
Variables (v : nat -> R) (row_sums g0 : Z -> option R).
Hypothesis v_good : forall j, (j < n)%nat -> format64 (v j) /\ 0 < v j.
Hypothesis row_sums_right : forall i, (i < n)%nat -> summed K (fun k => Rabs (X i k)) (row_sums (Z.of_nat i)).
Hypothesis g0_right : forall i, (i < n)%nat -> summed n (fun j => Rabs (rd64 (D i j)) * v j) (g0 (Z.of_nat i)).

Let Gv i := sum_to n (fun j => Rabs (G i j) * v j).

Lemma row_sums_bound (i : nat) : (i < n)%nat -> bound (row_sums (Z.of_nat i)) (sum_to K (fun k => Rabs (X i k))).
Proof. intros Hi. apply summed_bound; [intros; apply Rabs_pos | tauto | now apply row_sums_right]. Qed.

Lemma product_bound (i : nat) (sum : option R) : (i < n)%nat -> bound sum (sum_to n v) ->
  bound (add_up (mul_up (g0 (Z.of_nat i)) (Some (rd64 (IZR 1 + rd64 (IZR 2 * inverse_roundoff)))))
    (if inexact then add_up (mul_up (Some least_subnormal) sum) (mul_up (mul_up (Some least_subnormal) (row_sums (Z.of_nat i))) sum) else mul_up (Some least_subnormal) sum)) (Gv i).
Proof.
  intros Hi Hs. assert (V0 : 0 <= sum_to n v) by (apply sum_positive; intros j Hj; destruct (v_good j Hj); lra).
  assert (R0 : 0 <= sum_to K (fun k => Rabs (X i k))) by (apply sum_positive; intros; apply Rabs_pos).
  set (a := sum_to n (fun j => Rabs (rd64 (D i j)) * v j)).
  assert (A0 : 0 <= a) by (apply sum_positive; intros j Hj; destruct (v_good j Hj); apply Rmult_le_pos; [apply Rabs_pos | lra]).
  assert (P := bpow_gt_0 radix2 (-1074)). assert (U := inverse_unit). assert (U0 : 0 < u64) by (unfold u64; lra).
  apply bound_weaker with (a * (1 + 2 * u64) + (pow (-1074) * sum_to n v + loss * sum_to K (fun k => Rabs (X i k)) * sum_to n v)).
  - apply add_bound.
    + apply mul_bound; [exact A0 | lra | apply summed_bound; [|tauto | now apply g0_right] | now apply factor_bound].
      intros j Hj. destruct (v_good j Hj). apply Rmult_le_pos; [apply Rabs_pos | lra].
    + assert (First : bound (mul_up (Some least_subnormal) sum) (pow (-1074) * sum_to n v)) by (apply mul_bound; auto; [lra | apply least_bound]).
      unfold loss. destruct inexact; [apply add_bound; [exact First|] | rewrite !Rmult_0_l, Rplus_0_r; exact First].
      apply mul_bound; auto; [apply Rmult_le_pos; lra|]. apply mul_bound; auto; [lra | apply least_bound | now apply row_sums_bound].
  - assert (S : Gv i <= sum_to n (fun j => (1 + u64) * (Rabs (rd64 (D i j)) * v j) + (pow (-1075) + loss * sum_to K (fun k => Rabs (X i k))) * v j)).
    { apply sum_monotone. intros j Hj. destruct (v_good j Hj) as (_ & Pv). assert (E := element_near i j Hi Hj).
      apply Rle_trans with (((1 + u64) * Rabs (rd64 (D i j)) + pow (-1075) + loss * sum_to K (fun k => Rabs (X i k))) * v j); [apply Rmult_le_compat_r; lra | lra]. }
    rewrite sum_plus in S. rewrite (sum_equal n (fun j => (1 + u64) * _) (fun j => Rabs (rd64 (D i j)) * v j * (1 + u64))) in S by (intros; ring).
    rewrite (sum_equal n (fun j => _ * v j) (fun j => v j * (pow (-1075) + loss * sum_to K (fun k => Rabs (X i k))))) in S by (intros; ring).
    rewrite !sum_scaled in S. fold a in S. assert (E : pow (-1075) <= pow (-1074)) by (apply bpow_le; lia).
    assert (Q : sum_to n v * pow (-1075) <= sum_to n v * pow (-1074)) by now apply Rmult_le_compat_l.
    assert (Y : 0 <= a * u64) by (apply Rmult_le_pos; lra). lra.
Qed.

(* The loop that finds the contraction. *)
Definition judged (product : Z -> option R) (i : nat) (contraction : option R) : Prop :=
  match contraction with
  | Some a => exists p, product (Z.of_nat i) = Some p /\ format64 p /\ 0 <= p /\ Gv i <= p <= a * v i
  | None => True
  end.

Lemma contraction_right : let (product, contraction) := contraction_of bits_of number_of inexact (Z.of_nat n) row_sums (numbers v) g0 in
  bound contraction 0 /\ forall i, (i < n)%nat -> judged product i contraction.
Proof.
  unfold contraction_of. cbv zeta.
  assert (S := sum_of_array n v ltac:(intros j Hj; destruct (v_good j Hj); split; [assumption | lra])).
  change (IZR 0) with 0. set (sum := for_up 0 (Z.of_nat n) (fun j s => add_up s (numbers v j)) (Some 0)) in *.
  set (state := for_up 0 (Z.of_nat n) _ _).
  enough (Q : let '(g, contraction, _) := state in bound contraction 0 /\ (forall i, (Z.of_nat n <= Z.of_nat i)%Z -> g (Z.of_nat i) = g0 (Z.of_nat i)) /\
    (forall i, (Z.of_nat i < Z.of_nat n)%Z -> judged g i contraction)).
  { destruct state as ((g, contraction), largest). destruct Q as (Q0 & _ & Q). split; [exact Q0|]. intros i Hi. apply Q. lia. }
  apply (for_up_invariant (fun k s => let '(g, contraction, _) := s in bound contraction 0 /\ (forall i, (k <= Z.of_nat i)%Z -> g (Z.of_nat i) = g0 (Z.of_nat i)) /\
    (forall i, (Z.of_nat i < k)%Z -> judged g i contraction))).
  - lia.
  - split; [apply bound_exact; [apply generic_format_0 | apply Rle_refl]|]. split; [reflexivity | intros i Hi; lia].
  - intros k ((g, contraction), largest) Hk (C & Rest & Done). set (i := Z.to_nat k). assert (Ek : k = Z.of_nat i) by lia. assert (Hi : (i < n)%nat) by lia.
    rewrite Ek in *. rewrite (Rest i) by lia. set (product := add_up _ _).
    assert (B : bound product (Gv i)) by (unfold product; apply product_bound; assumption). clearbody product.
    assert (Same : update g (Z.of_nat i) product (Z.of_nat i) = product) by (unfold update; now rewrite Z.eqb_refl).
    assert (Other : forall j, j <> i -> update g (Z.of_nat i) product (Z.of_nat j) = g (Z.of_nat j)).
    { intros j Hj. unfold update. destruct (Z.eqb_spec (Z.of_nat j) (Z.of_nat i)); [lia | reflexivity]. }
    assert (Nv : numbers v (Z.of_nat i) = Some (v i)) by (unfold numbers; now rewrite Nat2Z.id). rewrite Same, !Nv. destruct (v_good i Hi) as (_ & Pv).
    assert (V := div_bound product (Gv i) (v i) Pv B).
    assert (Next : forall q, (q = None \/ (exists a p r, q = Some (Rmax a r) /\ contraction = Some a /\ product = Some p /\ 0 <= p /\ format64 p /\ Gv i <= p /\ p / v i <= r)) ->
      forall j, (Z.of_nat j < Z.of_nat i + 1)%Z -> judged (update g (Z.of_nat i) product) j q).
    { intros q [->|(a & p & r & -> & Ec & Ep & P0 & Fp & L1 & L2)] j Hj; [exact I|]. unfold judged. destruct (Nat.eq_dec j i) as [->|N].
      - exists p. rewrite Same. repeat split; auto. apply Rle_trans with (r * v i); [|apply Rmult_le_compat_r; [lra | apply Rmax_r]].
        replace p with (p / v i * v i) by (field; lra). apply Rmult_le_compat_r; lra.
      - rewrite Other by exact N. specialize (Done j ltac:(lia)). rewrite Ec in Done. destruct Done as (p' & E' & F' & P' & L'). exists p'. repeat split; auto; [tauto|].
        apply Rle_trans with (a * v j); [tauto|]. destruct (v_good j ltac:(lia)). apply Rmult_le_compat_r; [lra | apply Rmax_l]. }
    destruct product as [p|]; [|cbn; split; [exact I|]; split; [intros j Hj; rewrite Other by lia; apply Rest; lia | intros j Hj; exact (Next None (or_introl eq_refl) j Hj)]].
    destruct B as (Fp & P0 & L). assert (W := div_bound (Some p) p (v i) Pv (bound_exact p Fp P0)).
    destruct (div_up (Some p) (Some (v i))) as [r|]; [|cbn; split; [exact I|]; split; [intros j Hj; rewrite Other by lia; apply Rest; lia | intros j Hj; exact (Next None (or_introl eq_refl) j Hj)]].
    destruct W as (Fr & R0 & W). cbn [xlt]. destruct contraction as [a|]; [|cbn; split; [exact I|]; split; [intros j Hj; rewrite Other by lia; apply Rest; lia | intros j Hj; exact (Next None (or_introl eq_refl) j Hj)]].
    cbn [xmax]. split; [|split; [intros j Hj; rewrite Other by lia; apply Rest; lia|]].
    + apply (max_bound (Some a) (Some r) 0 (p / v i)); [exact C | now repeat split].
    + apply Next. right. exists a, p, r. repeat split; auto.
Qed.

(* An error from its residual. *)
Lemma error_of_residual (e : nat -> R) (i : nat) : (i < n)%nat ->
  e i = sum_to K (fun k => X i k * sum_to n (fun j => M (row k) j * e j)) + sum_to n (fun j => G i j * e j).
Proof.
  intros Hi. unfold G. rewrite (sum_equal n (fun j => (identity i j - _) * e j) (fun j => identity i j * e j - sum_to K (fun k => X i k * M (row k) j * e j))).
  - rewrite sum_minus, sum_identity by exact Hi. rewrite sum_exchanged.
    rewrite (sum_equal K (fun k => sum_to n (fun j => X i k * M (row k) j * e j)) (fun k => X i k * sum_to n (fun j => M (row k) j * e j))); [ring|].
    intros k _. rewrite (sum_equal n _ (fun j => M (row k) j * e j * X i k)) by (intros; ring). rewrite sum_scaled. ring.
  - intros j _. rewrite Rmult_minus_distr_r. f_equal. now rewrite <- sum_scaled.
Qed.

Lemma error_below (e : nat -> R) (i : nat) : (i < n)%nat ->
  Rabs (e i) <= Rabs (sum_to K (fun k => X i k * sum_to n (fun j => M (row k) j * e j))) + sum_to n (fun j => Rabs (G i j) * Rabs (e j)).
Proof.
  intros Hi. rewrite (error_of_residual e i Hi) at 1. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_l.
  eapply Rle_trans; [apply sum_absolute|]. right. apply sum_equal. intros j _. apply Rabs_mult.
Qed.

(* What the code keeps of an inverse: product and contraction. *)
Definition contracts (product : Z -> option R) (a : R) : Prop :=
  format64 a /\ 0 <= a < 1 /\ exists p, forall i, (i < n)%nat -> product (Z.of_nat i) = Some (p i) /\ format64 (p i) /\ 0 <= p i /\ Gv i <= p i <= a * v i.

Lemma inverse_known : let (product, contraction) := contraction_of bits_of number_of inexact (Z.of_nat n) row_sums (numbers v) g0 in
  xlt contraction (Some 1) = true -> exists a, contraction = Some a /\ contracts product a.
Proof.
  assert (H := contraction_right). destruct (contraction_of _ _ _ _ _ _ _) as (product, [a|]); [|discriminate]. destruct H as ((Fa & A0 & _) & H).
  cbn [xlt]. intros L. exists a. split; [reflexivity|]. split; [exact Fa|]. split; [split; [exact A0|]; destruct (Rlt_bool_spec a 1); [assumption | discriminate]|].
  exists (fun i => match product (Z.of_nat i) with Some p => p | None => 0 end). intros i Hi. destruct (H i Hi) as (p & E & T). rewrite E. auto.
Qed.

Lemma nonsingular (product : Z -> option R) (a : R) (e : nat -> R) : contracts product a -> (forall k, (k < n)%nat -> sum_to n (fun j => M k j * e j) = 0) -> forall i, (i < n)%nat -> e i = 0.
Proof.
  intros (_ & Ha & p & Hp) E i Hi. assert (B := error_bound n (fun i j => Rabs (G i j)) e v p (fun _ => 0) a 0).
  assert (Z : Rabs (e i) <= 0 + p i * (0 / (1 - a))).
  { apply B; auto; try lra.
    - intros j Hj. now destruct (v_good j Hj).
    - intros. apply Rabs_pos.
    - intros j Hj. assert (T := error_below e j Hj). rewrite (sum_equal K _ (fun _ => 0)) in T by (intros k _; rewrite E by apply row_below; ring). rewrite sum_zero, Rabs_R0 in T. exact T.
    - intros j Hj. now destruct (Hp j Hj) as (_ & _ & _ & T & _).
    - intros j Hj. now destruct (Hp j Hj) as (_ & _ & _ & _ & T).
    - intros j Hj. lra. }
  unfold Rdiv in Z. rewrite Rmult_0_l, Rmult_0_r, Rplus_0_r in Z. assert (T := Rabs_pos (e i)). destruct (Req_dec (e i) 0) as [Q|Q]; [exact Q|]. apply Rabs_pos_lt in Q. lra.
Qed.

(* Theorem: if the contraction that the code finds is below 1, abs(G) v <= product <= contraction v, element by element, and the exact matrix is nonsingular. The weights that follow
   are at least 2^-20. *)
Theorem inverse_contracts : let (product, contraction) := contraction_of bits_of number_of inexact (Z.of_nat n) row_sums (numbers v) g0 in
  (xlt contraction (Some 1) = true -> exists a, contraction = Some a /\ contracts product a /\
    forall e : nat -> R, (forall k, (k < n)%nat -> sum_to n (fun j => M k j * e j) = 0) -> forall i, (i < n)%nat -> e i = 0) /\
  forall weights g largest i, match next_weight bits_of number_of weights g largest i i with Some next => pow (-20) <= next | None => True end.
Proof.
  assert (H := inverse_known). destruct (contraction_of _ _ _ _ _ _ _) as (product, contraction). split.
  - intros L. destruct (H L) as (a & E & C). exists a. split; [exact E|]. split; [exact C|]. intros e He. exact (nonsingular product a e C He).
  - intros weights g largest i. unfold next_weight. cbv zeta. unfold update. rewrite Z.eqb_refl. destruct (xdiv (g i) largest) as [t|]; [|exact I]. cbn [xmax].
    replace (pow (-20)) with (IZR 1 / IZR 1048576) by (simpl; lra). apply Rmax_r.
Qed.

(* One right-hand side: b is the stored one, bx the exact one, and x the exact solution; y_1, y_2, ... lie n apart. r and z are rounded once. *)
Variables (parts : nat) (y r z b bx x : nat -> R).
Let total_y j := sum_to parts (fun p => y (j + p * n)%nat).
Hypothesis parts_few : (1 <= parts <= 1000)%nat.
Hypothesis y_format : forall t, format64 (y t).
Hypothesis b_format : forall k, (k < n)%nat -> format64 (b k).
Hypothesis b_near : forall k, (k < n)%nat -> Rabs (bx k - b k) <= pow (-1075).
Hypothesis b_zero : (forall k, (k < n)%nat -> b k = 0) -> forall k, (k < n)%nat -> bx k = 0.
Hypothesis r_right : forall k, (k < n)%nat -> r k = rd64 (b k - sum_to n (fun j => A k j * total_y j)).
Hypothesis z_right : forall i, (i < n)%nat -> z i = rd64 (sum_to K (fun k => X i k * r (row k))).
Hypothesis x_exact : forall k, (k < n)%nat -> sum_to n (fun j => M k j * x j) = bx k.

Let e j := x j - total_y j.
Let q k := sum_to n (fun j => M k j * e j).
Let sizes_y := sum_to n (fun j => sum_to parts (fun p => Rabs (y (j + p * n)%nat))).

(* The exact residual lies near r. *)
Lemma residual_near (k : nat) (d : R) : (k < n)%nat -> Rabs (r k) <= d -> Rabs (q k - r k) <= u64 * d + pow (-1074) + loss * sizes_y.
Proof.
  intros Hk Hd. set (s := b k - sum_to n (fun j => A k j * total_y j)). assert (Er := r_right k Hk). fold s in Er. assert (H := rounded_result s). rewrite <- Er in H.
  assert (Eq : q k = bx k - sum_to n (fun j => M k j * total_y j)).
  { unfold q, e. rewrite (sum_equal n _ (fun j => M k j * x j - M k j * total_y j)) by (intros; ring). now rewrite sum_minus, x_exact. }
  replace (q k - r k) with ((bx k - b k) + (s - r k) + - (sum_to n (fun j => M k j * total_y j) - sum_to n (fun j => A k j * total_y j))) by (rewrite Eq; unfold s; ring).
  assert (L : Rabs (- (sum_to n (fun j => M k j * total_y j) - sum_to n (fun j => A k j * total_y j))) <= loss * sizes_y).
  { rewrite Rabs_Ropp, <- sum_minus. eapply Rle_trans; [apply sum_absolute|]. unfold sizes_y. rewrite Rmult_comm, <- sum_scaled. apply sum_monotone. intros j Hj.
    replace (M k j * total_y j - A k j * total_y j) with (total_y j * (M k j - A k j)) by ring. rewrite Rabs_mult. apply Rmult_le_compat; try apply Rabs_pos; [apply sum_absolute | now apply A_near]. }
  assert (N := b_near k Hk). assert (T1 := Rabs_triang (bx k - b k + (s - r k)) (- (sum_to n (fun j => M k j * total_y j) - sum_to n (fun j => A k j * total_y j)))).
  assert (T2 := Rabs_triang (bx k - b k) (s - r k)). assert (U : u64 * Rabs (r k) <= u64 * d) by (apply Rmult_le_compat_l; [unfold u64; lra | exact Hd]).
  assert (E : pow (-1074) = pow (-1075) + pow (-1075)) by (replace (pow (-1074)) with (pow 1 * pow (-1075)) by (rewrite <- bpow_plus; reflexivity); change (pow 1) with 2; ring). lra.
Qed.

Lemma parts_sum (i : nat) (s : option R) (t : R) : bound s t ->
  bound (for_up 0 (Z.of_nat parts) (fun p s => add_up s (xabs (numbers y (Z.of_nat i + p * Z.of_nat n)))) s) (t + sum_to parts (fun p => Rabs (y (i + p * n)%nat))).
Proof.
  intros Hs. set (f := fun p => Rabs (y (i + p * n)%nat)). rewrite <- (Nat2Z.id parts) at 2.
  apply (for_up_invariant (fun p s => bound s (t + sum_to (Z.to_nat p) f))); [lia | now rewrite Rplus_0_r|].
  intros p s' Hp B. replace (Z.to_nat (p + 1)) with (S (Z.to_nat p)) by lia. cbn [sum_to]. rewrite <- Rplus_assoc. apply add_bound; [exact B|]. unfold numbers, f.
  replace (Z.to_nat (Z.of_nat i + p * Z.of_nat n)) with (i + Z.to_nat p * n)%nat by nia. cbn [xabs].
  apply bound_exact; [now apply generic_format_abs | apply Rabs_pos].
Qed.

(* lost: zero if r and y are, and otherwise a bound of the difference. *)
Lemma lost_right : let lost := judge_lost bits_of number_of inexact (Z.of_nat n) (Z.of_nat parts) (numbers y) (numbers r) in
  (lost = Some 0 /\ (forall k, (k < n)%nat -> r k = 0) /\ (forall t, (t < parts * n)%nat -> y t = 0)) \/
  (exists d, bound lost d /\ 0 < d /\ forall k, (k < n)%nat -> Rabs (q k - r k) <= d).
Proof.
  intros lost. unfold lost, judge_lost. cbv zeta. clear lost. change (IZR 0) with 0. set (state := for_up 0 (Z.of_nat n) _ _).
  enough (Q : let '(lr, _, sy) := state in (exists d, lr = Some d /\ format64 d /\ 0 <= d /\ forall k, (Z.of_nat k < Z.of_nat n)%Z -> Rabs (r k) <= d) /\
    bound sy (sum_to (Z.to_nat (Z.of_nat n)) (fun j => sum_to parts (fun p => Rabs (y (j + p * n)%nat))))).
  { destruct state as ((lr, ly), sy). destruct Q as ((d & -> & Fd & D0 & Hd) & Hs). rewrite Nat2Z.id in Hs. fold sizes_y in Hs.
    assert (S0 : 0 <= sizes_y) by (apply sum_positive; intros; apply sum_positive; intros; apply Rabs_pos).
    assert (P := bpow_gt_0 radix2 (-1074)). assert (L0 := loss_positive).
    match goal with |- context [if ?c then Some 0 else _] => destruct c eqn:Zero end.
    - left. split; [reflexivity|]. apply andb_prop in Zero as (Z1 & Z2). cbn [xeq] in Z1. destruct (Req_bool_spec d 0) as [Ed|]; [|discriminate]. split.
      + intros k Hk. specialize (Hd k ltac:(lia)). rewrite Ed in Hd. assert (T := Rabs_pos (r k)). destruct (Req_dec (r k) 0) as [Q|Q]; [exact Q|]. apply Rabs_pos_lt in Q. lra.
      + intros t Ht. destruct sy as [sy|]; [|discriminate]. cbn [xeq] in Z2. destruct (Req_bool_spec sy 0) as [Es|]; [|discriminate]. destruct Hs as (_ & _ & Hs).
        assert (Hn : (0 < n)%nat) by tauto. assert (T1 := sum_term n (fun j => sum_to parts (fun p => Rabs (y (j + p * n)%nat))) (t mod n) ltac:(intros; apply sum_positive; intros; apply Rabs_pos) ltac:(apply Nat.mod_upper_bound; lia)).
        assert (Tp : (t / n < parts)%nat) by (apply Nat.div_lt_upper_bound; lia).
        assert (T2 := sum_term parts (fun p => Rabs (y (t mod n + p * n)%nat)) (t / n) ltac:(intros; apply Rabs_pos) Tp). cbv beta in T1, T2. fold sizes_y in T1.
        replace (t mod n + t / n * n)%nat with t in T2 by (assert (V := Nat.div_mod t n ltac:(lia)); lia). assert (T := Rabs_pos (y t)). destruct (Req_dec (y t) 0) as [Q|Q]; [exact Q|]. apply Rabs_pos_lt in Q. lra.
    - right. exists (u64 * d + rd64 (IZR 2 * least_subnormal) + loss * sizes_y).
      assert (E2 : rd64 (IZR 2 * least_subnormal) = pow (-1073)).
      { change (IZR 2) with (pow 1). unfold least_subnormal. rewrite <- bpow_plus. apply rnd64_exact, format64_bpow. lia. }
      assert (B2 : bound (Some (rd64 (IZR 2 * least_subnormal))) (rd64 (IZR 2 * least_subnormal))) by (apply bound_exact; [apply rnd64_format | rewrite E2; apply bpow_ge_0]).
      assert (Ud : 0 <= u64 * d) by (apply Rmult_le_pos; unfold u64; lra).
      assert (B1 : bound (add_up (mul_up (Some judge_roundoff) (Some d)) (Some (rd64 (IZR 2 * least_subnormal)))) (u64 * d + rd64 (IZR 2 * least_subnormal))).
      { apply add_bound; [|exact B2]. apply mul_bound; [unfold u64; lra | exact D0 | rewrite judge_unit; apply bound_exact; [rewrite u64_bpow; apply format64_bpow; lia | unfold u64; lra] | now apply bound_exact]. }
      rewrite E2 in *. assert (Q : pow (-1074) <= pow (-1073)) by (apply bpow_le; lia). split; [|split].
      + unfold loss. destruct inexact; [apply add_bound; [exact B1|]; apply mul_bound; auto; [lra | apply least_bound] | now rewrite Rmult_0_l, Rplus_0_r].
      + assert (0 <= loss * sizes_y) by now apply Rmult_le_pos. lra.
      + intros k Hk. assert (T := residual_near k d Hk (Hd k ltac:(lia))). lra. }
  apply (for_up_invariant (fun k s => let '(lr, _, sy) := s in (exists d, lr = Some d /\ format64 d /\ 0 <= d /\ forall j, (Z.of_nat j < k)%Z -> Rabs (r j) <= d) /\
    bound sy (sum_to (Z.to_nat k) (fun j => sum_to parts (fun p => Rabs (y (j + p * n)%nat)))))).
  - lia.
  - split; [exists 0; repeat split; [apply generic_format_0 | lra | intros; lia] | apply bound_exact; [apply generic_format_0 | apply Rle_refl]].
  - intros k ((lr, ly), sy) Hk ((d & -> & Fd & D0 & Hd) & Hs). split.
    + unfold numbers. cbn [xabs xmax]. exists (Rmax d (Rabs (r (Z.to_nat k)))). split; [reflexivity|]. assert (Fr : format64 (Rabs (r (Z.to_nat k)))) by (apply generic_format_abs; rewrite r_right by lia; apply rnd64_format).
      split; [unfold Rmax; now destruct Rle_dec|]. split; [eapply Rle_trans; [exact D0 | apply Rmax_l]|]. intros j Hj. destruct (Z.eq_dec (Z.of_nat j) k) as [Ej|N].
      * replace (Z.to_nat k) with j by lia. apply Rmax_r.
      * eapply Rle_trans; [apply Hd; lia | apply Rmax_l].
    + replace (Z.to_nat (k + 1)) with (S (Z.to_nat k)) by lia. cbn [sum_to]. assert (T := parts_sum (Z.to_nat k) sy _ Hs). rewrite Z2Nat.id in T by lia. exact T.
Qed.

Let w i := Rabs (sum_to K (fun k => X i k * q (row k))).

Lemma not_zero (lost : option R) (d : R) : bound lost d -> 0 < d -> xeq lost (Some (IZR 0)) = false.
Proof. destruct lost as [l|]; [|reflexivity]. intros (_ & _ & L) Dp. cbn [xeq]. apply Req_bool_false. lra. Qed.

Lemma rest_right (lost : option R) (d : R) (i : nat) : (i < n)%nat -> bound lost d -> 0 < d -> (forall k, (k < n)%nat -> Rabs (q k - r k) <= d) ->
  bound (judge_rest bits_of number_of lost (numbers z) row_sums (Z.of_nat i)) (w i).
Proof.
  intros Hi Hl Dp Hd. unfold judge_rest. rewrite (not_zero lost d Hl Dp). assert (U0 : 0 < u64) by (unfold u64; lra). assert (S0 : 0 <= sum_to K (fun k => Rabs (X i k))) by (apply sum_positive; intros; apply Rabs_pos).
  set (s := sum_to K (fun k => X i k * r (row k))). assert (Ez : z i = rd64 s) by now apply z_right. assert (H := rounded_result s). rewrite <- Ez in H. assert (Z0 := Rabs_pos (z i)).
  assert (P := bpow_gt_0 radix2 (-1074)). assert (P2 : pow (-1075) <= pow (-1074)) by (apply bpow_le; lia).
  apply bound_weaker with (Rabs (z i) * (1 + 2 * u64) + pow (-1074) + sum_to K (fun k => Rabs (X i k)) * d).
  - apply add_bound; [apply add_bound; [|apply least_bound]|].
    + apply mul_bound; [exact Z0 | lra | | apply factor_bound, judge_unit]. unfold numbers. rewrite Nat2Z.id. cbn [xabs]. apply bound_exact; [rewrite Ez; apply generic_format_abs, rnd64_format | exact Z0].
    + apply mul_bound; auto; [lra | now apply row_sums_bound].
  - unfold w. replace (sum_to K (fun k => X i k * q (row k))) with (z i + (s - z i) + sum_to K (fun k => X i k * (q (row k) - r (row k)))).
    + assert (T : Rabs (sum_to K (fun k => X i k * (q (row k) - r (row k)))) <= sum_to K (fun k => Rabs (X i k)) * d).
      { eapply Rle_trans; [apply sum_absolute|]. rewrite <- sum_scaled. apply sum_monotone. intros k _. rewrite Rabs_mult. apply Rmult_le_compat_l; [apply Rabs_pos|]. apply Hd, row_below. }
      eapply Rle_trans; [apply Rabs_triang|]. assert (T2 := Rabs_triang (z i) (s - z i)). assert (0 <= u64 * Rabs (z i)) by (apply Rmult_le_pos; lra). lra.
    + unfold s. rewrite (sum_equal K (fun k => X i k * (q (row k) - r (row k))) (fun k => X i k * q (row k) - X i k * r (row k))) by (intros; ring). rewrite sum_minus. ring.
Qed.

Lemma size_right (lost : option R) (d : R) : bound lost d -> 0 < d -> (forall k, (k < n)%nat -> Rabs (q k - r k) <= d) ->
  match judge_size bits_of number_of (Z.of_nat n) lost (numbers z) row_sums (numbers v) with Some m => format64 m /\ 0 <= m /\ forall i, (i < n)%nat -> w i <= m * v i | None => True end.
Proof.
  intros Hl Dp Hd. unfold judge_size. cbv zeta. change (IZR 0) with 0. set (state := for_up 0 (Z.of_nat n) _ _).
  enough (Q : match state with Some m => format64 m /\ 0 <= m /\ forall i, (Z.of_nat i < Z.of_nat n)%Z -> w i <= m * v i | None => True end).
  { destruct state as [m|]; [|exact I]. destruct Q as (F & P & Q). repeat split; auto. intros i Hi. apply Q. lia. }
  apply (for_up_invariant (fun k s => match s with Some m => format64 m /\ 0 <= m /\ forall i, (Z.of_nat i < k)%Z -> w i <= m * v i | None => True end)).
  - lia.
  - repeat split; [apply generic_format_0 | lra | intros; lia].
  - intros k s Hk Hs. change (xeq lost (Some 0)) with (xeq lost (Some (IZR 0))). rewrite (not_zero lost d Hl Dp). set (i := Z.to_nat k). assert (Ek : k = Z.of_nat i) by lia. assert (Hi : (i < n)%nat) by lia. rewrite Ek in *.
    assert (B := rest_right lost d i Hi Hl Dp Hd). unfold judge_rest in B. rewrite (not_zero lost d Hl Dp) in B. set (rest := add_up _ _) in *. clearbody rest.
    assert (Nv : numbers v (Z.of_nat i) = Some (v i)) by (unfold numbers; now rewrite Nat2Z.id). rewrite !Nv. destruct (v_good i Hi) as (_ & Pv). assert (V := div_bound rest (w i) (v i) Pv B).
    destruct (div_up rest (Some (v i))) as [ratio|]; [|exact I]. cbn [xlt]. destruct s as [m|]; [|exact I]. cbn [xmax]. destruct Hs as (Fm & M0 & Hs). destruct V as (Fr & R0 & V).
    split; [unfold Rmax; now destruct Rle_dec|]. split; [eapply Rle_trans; [exact M0 | apply Rmax_l]|]. intros j Hj. destruct (Nat.eq_dec j i) as [->|N].
    + apply Rle_trans with (ratio * v i); [|apply Rmult_le_compat_r; [lra | apply Rmax_r]]. replace (w i) with (w i / v i * v i) by (field; lra). apply Rmult_le_compat_r; lra.
    + apply Rle_trans with (m * v j); [apply Hs; lia|]. destruct (v_good j ltac:(lia)). apply Rmult_le_compat_r; [lra | apply Rmax_l].
Qed.

(* The parts after the first one. *)
Lemma tail_right (i : nat) : forall p fuel (radius : option R) (s : R), (p <= fuel)%nat -> bound radius s ->
  let '(_, result) := loop fuel (fun '(p, radius) => (p >? 0)%Z) (fun '(p, radius) => (p - 1, add_up radius (xabs (numbers y (Z.of_nat i + p * Z.of_nat n))))%Z) (Z.of_nat p, radius) in
  bound result (s + sum_to p (fun t => Rabs (y (i + S t * n)%nat))).
Proof.
  induction p as [|p IH]; intros fuel radius s Hf B.
  - destruct fuel; simpl; now rewrite Rplus_0_r.
  - destruct fuel as [|fuel]; [lia|]. cbn [loop]. replace (Z.of_nat (S p) >? 0)%Z with true by (symmetry; apply Z.gtb_lt; lia). replace (Z.of_nat (S p) - 1)%Z with (Z.of_nat p) by lia.
    cbn [sum_to]. replace (s + (sum_to p (fun t => Rabs (y (i + S t * n)%nat)) + Rabs (y (i + S p * n)%nat))) with (s + Rabs (y (i + S p * n)%nat) + sum_to p (fun t => Rabs (y (i + S t * n)%nat))) by ring.
    apply IH; [lia|]. apply add_bound; [exact B|]. unfold numbers. replace (Z.to_nat (Z.of_nat i + Z.of_nat (S p) * Z.of_nat n)) with (i + S p * n)%nat by nia. cbn [xabs].
    apply bound_exact; [now apply generic_format_abs | apply Rabs_pos].
Qed.

Lemma radius_right (product : Z -> option R) (a : R) (i : nat) : contracts product a -> (i < n)%nat ->
  let lost := judge_lost bits_of number_of inexact (Z.of_nat n) (Z.of_nat parts) (numbers y) (numbers r) in
  let size := judge_size bits_of number_of (Z.of_nat n) lost (numbers z) row_sums (numbers v) in
  let all := judge_all bits_of number_of lost size (Some a) in
  bound (judge_radius bits_of number_of (Z.of_nat n) (Z.of_nat parts) lost all (numbers y) (numbers z) row_sums product (Z.of_nat i)) (Rabs (x i - y i)).
Proof.
  intros C Hi lost size all. assert (C' := C). destruct C' as (Fa & Ha & p & Hp).
  enough (First : bound (if xeq lost (Some (IZR 0)) then Some (IZR 0) else add_up (judge_rest bits_of number_of lost (numbers z) row_sums (Z.of_nat i)) (mul_up (product (Z.of_nat i)) all)) (Rabs (e i))).
  { unfold judge_radius. cbv zeta. set (start := if xeq lost _ then _ else _) in *. clearbody start. assert (T := tail_right i (parts - 1) 1000 start _ ltac:(lia) First).
    replace (Z.of_nat (parts - 1)) with (Z.of_nat parts - 1)%Z in T by lia. destruct (loop 1000 _ _ _) as (p', radius). apply (bound_weaker _ _ _ T).
    assert (E : x i - y i = e i + sum_to (parts - 1) (fun t => y (i + S t * n)%nat)).
    { unfold e, total_y. replace parts with (S (parts - 1)) at 1 by lia. rewrite sum_first, Nat.mul_0_l, Nat.add_0_r. ring. }
    rewrite E. eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat_l. apply sum_absolute. }
  destruct lost_right as [(E & Zr & Zy)|(d & Hl & Dp & Hd)].
  - (* nothing is lost: the solution is zero *)
    fold lost in E. rewrite E. cbn [xeq]. rewrite Req_bool_true by reflexivity. apply bound_weaker with 0; [apply bound_exact; [apply generic_format_0 | apply Rle_refl]|].
    assert (Y : forall j, (j < n)%nat -> total_y j = 0).
    { intros j Hj. unfold total_y. rewrite (sum_equal parts _ (fun _ => 0)); [apply sum_zero|]. intros t Ht. apply Zy. nia. }
    assert (B : forall k, (k < n)%nat -> b k = 0).
    { intros k Hk. assert (H := r_right k Hk). rewrite (sum_equal n _ (fun _ => 0)), sum_zero, Rminus_0_r, (Zr k Hk) in H by (intros j Hj; rewrite Y by exact Hj; ring).
      rewrite H. symmetry. exact (rnd64_exact (b k) (b_format k Hk)). }
    assert (S := nonsingular product a x C). unfold e. rewrite Y by exact Hi. rewrite S; [rewrite Rminus_0_r, Rabs_R0; lra | | exact Hi].
    intros k Hk. rewrite x_exact by exact Hk. now apply b_zero.
  - fold lost in Hl. rewrite (not_zero lost d Hl Dp). assert (W0 : forall j, 0 <= w j) by (intros; apply Rabs_pos). destruct (Hp i Hi) as (Ep & Fp & P0 & P1 & P2). rewrite Ep.
    assert (Sz := size_right lost d Hl Dp Hd). fold size in Sz. destruct all as [al|] eqn:Eall; [|destruct (judge_rest _ _ _ _ _ _); exact I]. unfold all, judge_all in Eall. rewrite (not_zero lost d Hl Dp) in Eall. cbv zeta in Eall. clear all. clearbody size. destruct size as [m|]; [|discriminate].
    destruct Sz as (Fm & M0 & Sz). assert (Bal : bound (Some al) (m / (1 - a))).
    { rewrite <- Eall. change (IZR 1) with 1. unfold xsub, xtwo, fits at 1. destruct (Rlt_bool_spec (Rabs (rd64 (1 - a))) (pow 1024)) as [L|L]; [|exfalso].
      - assert (Pg : 0 <= rd64 (1 - a)) by (apply rnd64_nonnegative; lra). destruct (Req_dec (rd64 (1 - a)) 0) as [Z|Z].
        + rewrite Z. unfold OutwardSource.below. cbn [xlt xfinite]. rewrite Rlt_bool_false by lra. cbn [andb]. unfold OutwardSource.div_up. cbn [xdiv]. rewrite Req_bool_true by reflexivity. exact I.
        + rewrite Rabs_pos_eq in L by exact Pg. destruct (below_number bits_of bits_right (rd64 (1 - a)) (rnd64_format _) ltac:(lra)) as (gap & Eg & Fg & G0 & Hg & _). rewrite Eg.
          assert (Lg := Hg (1 - a) ltac:(lra) eq_refl). destruct (Req_dec gap 0) as [Zg|Zg].
          * rewrite Zg. unfold OutwardSource.div_up. cbn [xdiv]. rewrite Req_bool_true by reflexivity. exact I.
          * apply bound_weaker with (m / gap); [apply div_bound; [lra | now apply bound_exact]|]. unfold Rdiv. apply Rmult_le_compat_l; [exact M0|]. apply Rinv_le_contravar; lra.
      - assert (T : rd64 (1 - a) <= rd64 1) by (apply rnd64_le; lra). rewrite (rnd64_exact 1 (format64_bpow 0 ltac:(lia)) : rd64 1 = 1) in T. rewrite Rabs_pos_eq in L by (apply rnd64_nonnegative; lra).
        assert (pow 0 < pow 1024) by (apply bpow_lt; lia). change (pow 0) with 1 in *. lra. }
    assert (K0 : 0 <= m / (1 - a)) by (apply Rmult_le_pos; [exact M0 | left; apply Rinv_0_lt_compat; lra]).
    apply bound_weaker with (w i + p i * (m / (1 - a))).
    + apply add_bound; [now apply (rest_right lost d) | apply mul_bound; auto; now apply bound_exact].
    + apply (error_bound n (fun i j => Rabs (G i j)) e v p w a m); auto.
      * intros j Hj. now destruct (v_good j Hj).
      * intros. apply Rabs_pos.
      * intros j Hj. exact (error_below e j Hj).
      * intros j Hj. now destruct (Hp j Hj) as (_ & _ & _ & T & _).
      * intros j Hj. now destruct (Hp j Hj) as (_ & _ & _ & _ & T).
Qed.

Definition holds (ball : option R * option R) (value : R) : Prop := match ball with (Some radius, Some center) => Rabs (value - center) <= radius | _ => True end.

(* Theorem: from the matrix to the radius: if the contraction is below 1, the radius that `judge` computes for an unknown is no smaller than the distance of the exact unknown from y_1,
   or no number. A ball that held the unknown still does after it. *)
Theorem certified_radius (i : nat) (best center : option R) : (i < n)%nat ->
  let (product, contraction) := contraction_of bits_of number_of inexact (Z.of_nat n) row_sums (numbers v) g0 in
  let lost := judge_lost bits_of number_of inexact (Z.of_nat n) (Z.of_nat parts) (numbers y) (numbers r) in
  let size := judge_size bits_of number_of (Z.of_nat n) lost (numbers z) row_sums (numbers v) in
  let all := judge_all bits_of number_of lost size contraction in
  let radius := judge_radius bits_of number_of (Z.of_nat n) (Z.of_nat parts) lost all (numbers y) (numbers z) row_sums product (Z.of_nat i) in
  xlt contraction (Some 1) = true ->
  bound radius (Rabs (x i - y i)) /\ (holds (best, center) (x i) -> holds (judge_kept bits_of number_of radius best center (numbers y) (Z.of_nat i)) (x i)).
Proof.
  intros Hi. assert (H := inverse_known). destruct (contraction_of _ _ _ _ _ _ _) as (product, contraction). intros lost size all radius L. destruct (H L) as (a & -> & C).
  assert (B := radius_right product a i C Hi : bound radius _). split; [exact B|]. clearbody radius. intros Hb. unfold judge_kept.
  destruct (xlt radius best) eqn:E; [|exact Hb]. destruct radius as [rho|]; [|discriminate]. cbn [holds numbers]. rewrite Nat2Z.id. apply B.
Qed.

End Bounds.
