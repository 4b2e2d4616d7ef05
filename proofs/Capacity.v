(** The capacities that the code computes by logarithms never exceed the true ones. *)
From Coq Require Import ZArith Reals Lia Lra Bool List.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Primes ModuliSource Tables CrtSource Reconstruction Crt CapacitySource.
Open Scope Z_scope.

(** The capacity of the first `count` of the moduli p, as the code adds it up. *)
Definition capacity (log2 : R -> R) (p : Z -> Z) (count : Z) : R :=
  for_up 0 count (fun l before => next_capacity log2 before (p l)) (first_capacity log2 (fun _ => 0%R) 0).

Definition margin_near (log2 : R -> R) : Prop := (Rabs (log2 crt_margin - ln crt_margin / ln 2) <= / 70368744177664)%R.

Lemma margin_log : (0 <= ln crt_margin / ln 2 <= 1 / 8)%R.
Proof.
  rewrite crt_margin_value. pose proof ln2_large as ln2.
  assert (upper : (ln (33 / 32) <= 1 / 32)%R).
  { pose proof (exp_ineq1_le (1 / 32)) as H. rewrite <- (ln_exp (1 / 32)). destruct H as [less | same]; [apply Rlt_le, ln_increasing; lra |].
    rewrite <- same. right. f_equal. lra. }
  assert (lower : (0 < ln (33 / 32))%R) by (rewrite <- ln_1; apply ln_increasing; lra).
  split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
  apply Rmult_le_reg_r with (ln 2); [lra |]. unfold Rdiv at 1. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma capacity_near : forall log2 p, log2_near log2 -> margin_near log2 -> forall count, 0 <= count <= max_moduli -> (forall l, 0 <= l < count -> 1 < p l <= 256) ->
  let P := product_upto p (Z.to_nat count) in 0 < P /\
  (Rabs (capacity log2 p count - (ln (IZR P) / ln 2 - 1 - ln crt_margin / ln 2 - 1 / 1000000000)) <= (IZR count + 1) * / 17592186044416)%R /\
  (Rabs (capacity log2 p count) <= IZR count * 9 + 2)%R.
Proof.
  intros log2 p near margin count range each. pose proof ln2_large as ln2. pose proof margin_log as margin_small.
  apply (for_up_invariant (fun k c => let P := product_upto p (Z.to_nat k) in 0 < P /\
    (Rabs (c - (ln (IZR P) / ln 2 - 1 - ln crt_margin / ln 2 - 1 / 1000000000)) <= (IZR k + 1) * / 17592186044416)%R /\ (Rabs c <= IZR k * 9 + 2)%R) _ 0 count); [lia | | ].
  - cbv zeta. change (product_upto p (Z.to_nat 0)) with 1. rewrite ln_1. split; [lia |].
    unfold first_capacity. cbv zeta. unfold update. rewrite Z.eqb_refl. rewrite rd64_integer by lia.
    apply Rabs_le_inv in margin. set (g := (ln crt_margin / ln 2)%R) in *. set (h := log2 crt_margin) in *.
    assert (first : (Rabs (rd64 (IZR (-1) - h) - (IZR (-1) - h)) <= / 9007199254740992)%R).
    { apply (rd64_error _ 1); [lia |]. simpl. apply Rabs_lt. lra. }
    assert (second : (Rabs (rd64 (IZR 1 / IZR 1000000000) - (IZR 1 / IZR 1000000000)) <= / 9007199254740992)%R).
    { apply (rd64_error _ 1); [lia |]. simpl. apply Rabs_lt. lra. }
    apply Rabs_le_inv in first, second.
    assert (third : (Rabs (rd64 (rd64 (IZR (-1) - h) - rd64 (IZR 1 / IZR 1000000000)) - (rd64 (IZR (-1) - h) - rd64 (IZR 1 / IZR 1000000000))) <= / 9007199254740992)%R).
    { apply (rd64_error _ 1); [lia |]. simpl. apply Rabs_lt. lra. }
    apply Rabs_le_inv in third. split; apply Rabs_le; lra.
  - intros k c krange [positive [close size]]. cbv zeta in *.
    replace (Z.to_nat (k + 1)) with (S (Z.to_nat k)) by lia. cbn [product_upto]. rewrite Z2Nat.id by lia.
    pose proof (each k ltac:(lia)) as m_range. split; [apply Z.mul_pos_pos; lia |].
    unfold next_capacity. rewrite rd64_integer by lia. pose proof (near (p k) ltac:(lia)) as one.
    set (P := product_upto p (Z.to_nat k)) in *. set (m := p k) in *.
    rewrite mult_IZR, ln_mult by (apply IZR_lt; lia).
    replace ((ln (IZR P) + ln (IZR m)) / ln 2)%R with (ln (IZR P) / ln 2 + ln (IZR m) / ln 2)%R by (field; lra).
    assert (y_range : (0 <= ln (IZR m) / ln 2 <= 8)%R).
    { assert (lower : (0 < ln (IZR m))%R) by (rewrite <- ln_1; apply ln_increasing; [lra | apply IZR_lt; lia]).
      assert (upper : (ln (IZR m) <= 8 * ln 2)%R).
      { replace (8 * ln 2)%R with (ln 256). { destruct (Z.eq_dec m 256) as [same | other]; [rewrite same; lra |]. apply Rlt_le, ln_increasing; apply IZR_lt; lia. }
        replace 256%R with (2 ^ 8)%R by (simpl; lra). rewrite ln_pow by lra. simpl. lra. }
      split; [apply Rmult_le_pos; [lra | apply Rlt_le, Rinv_0_lt_compat; lra] |].
      apply Rmult_le_reg_r with (ln 2); [lra |]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    set (x := (ln (IZR P) / ln 2)%R) in *. set (y := (ln (IZR m) / ln 2)%R) in *. set (g := (ln crt_margin / ln 2)%R) in *.
    assert (k_real : (0 <= IZR k <= 48)%R) by (unfold max_moduli in *; split; apply IZR_le; lia).
    apply Rabs_le_inv in one, close, size. rewrite plus_IZR.
    assert (rounded : (Rabs (rd64 (c + log2 (IZR m)) - (c + log2 (IZR m))) <= / 35184372088832)%R).
    { apply (rd64_error _ 9); [lia |]. simpl. apply Rabs_lt. lra. }
    apply Rabs_le_inv in rounded. split; apply Rabs_le; lra.
Qed.

Lemma capacity_below : forall log2 p, log2_near log2 -> margin_near log2 -> forall count, 0 <= count <= max_moduli -> (forall l, 0 <= l < count -> 1 < p l <= 256) ->
  (capacity log2 p count <= ln (IZR (product_upto p (Z.to_nat count)) / 2 / crt_margin) / ln 2)%R.
Proof.
  intros log2 p near margin count range each. destruct (capacity_near log2 p near margin count range each) as [positive [close _]]. cbv zeta in *.
  pose proof ln2_large as ln2. set (P := product_upto p (Z.to_nat count)) in *. assert (P_real : (0 < IZR P)%R) by (apply IZR_lt; exact positive).
  assert (margin_positive : (0 < crt_margin)%R) by (rewrite crt_margin_value; lra).
  assert (count_real : (0 <= IZR count <= 49)%R) by (unfold max_moduli in *; split; apply IZR_le; lia).
  assert (logs : ln (IZR P / 2 / crt_margin) = (ln (IZR P) - ln 2 - ln crt_margin)%R).
  { unfold Rdiv. assert (0 < / 2)%R by lra. assert (0 < / crt_margin)%R by (apply Rinv_0_lt_compat; lra).
    rewrite !ln_mult by (try apply Rmult_lt_0_compat; lra). rewrite (ln_Rinv 2) by lra. rewrite (ln_Rinv crt_margin) by exact margin_positive. ring. }
  rewrite logs. apply Rabs_le_inv in close.
  replace ((ln (IZR P) - ln 2 - ln crt_margin) / ln 2)%R with (ln (IZR P) / ln 2 - 1 - ln crt_margin / ln 2)%R by (field; lra). lra.
Qed.

Lemma product_real : forall count, 0 <= count -> product_of (real_planes count) count = product_upto moduli_list (Z.to_nat count).
Proof.
  intros count range. unfold product_of.
  assert (all : forall n, (n <= Z.to_nat count)%nat -> product_n (real_planes count) n = product_upto moduli_list n); [| apply all; lia].
  induction n as [|n IH]; intros less; [reflexivity |]. cbn [product_n product_upto]. rewrite IH by lia. rewrite real_plane_value by lia. reflexivity.
Qed.

Definition complex_modulus (l : Z) : Z := fst (complex_moduli_list l).
Definition products_match (planes : Z -> Z * Z * bool) : bool := forallb (fun count => product_of planes (complex_planes count) =? product_upto complex_modulus (Z.to_nat count)) (below (complex_moduli + 1)).
Lemma products_complex : forall imaginary, products_match (component_planes complex_moduli imaginary) = true.
Proof. intros imaginary. destruct imaginary; vm_cast_no_check (eq_refl true). Qed.
Lemma complex_moduli_small : forallb (fun l => (1 <? complex_modulus l) && (complex_modulus l <=? 256)) (below complex_moduli) = true.
Proof. vm_cast_no_check (eq_refl true). Qed.

(** 2^capacity is at most P / 2 / crt_margin, what crt_reconstruct is right for. *)
Theorem int8_capacities_right : forall log2, log2_near log2 -> margin_near log2 ->
  (forall count, 1 <= count <= max_moduli -> (capacity log2 moduli_list count <= ln (IZR (product_of (real_planes count) count) / 2 / crt_margin) / ln 2)%R) /\
  (forall count imaginary, 1 <= count <= complex_moduli ->
    (capacity log2 complex_modulus count <= ln (IZR (product_of (component_planes count imaginary) (complex_planes count)) / 2 / crt_margin) / ln 2)%R).
Proof.
  intros log2 near margin. split.
  - intros count range. rewrite product_real by lia. apply capacity_below; try assumption; [lia |]. intros l lrange.
    destruct (real_fit count range) as [_ [small _]]. pose proof (small l lrange) as here. rewrite real_plane_value in here by lia. exact here.
  - intros count imaginary range.
    rewrite (product_same (component_planes complex_moduli imaginary) (component_planes count imaginary)) by (intros l lrange; apply component_planes_same; assumption).
    pose proof (products_complex imaginary) as matches. unfold products_match in matches. pose proof (below_all _ _ matches count ltac:(lia)) as same. cbv beta in same. apply Z.eqb_eq in same. rewrite same.
    apply capacity_below; try assumption; [unfold complex_moduli, max_moduli in *; lia |]. intros l lrange.
    pose proof (below_all _ _ complex_moduli_small l ltac:(lia)) as here. cbv beta in here. lia.
Qed.
