(* Outward rounding (lib/numerics/outward.hpp). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource.

Open Scope R_scope.

Notation number64 := (number 53 (-1074)).
Definition infinity64 : Z := 9218868437227405312.

(* The next number, in a format of d bits whose least number is 2^least. *)
Lemma number_step (d least n : Z) : (1 < d)%Z -> (0 <= n)%Z -> exists k l : Z,
  (0 <= l)%Z /\ (0 <= k < 2 ^ d)%Z /\ number d least n = IZR k * pow (least + l) /\ number d least (n + 1) = (IZR k + 1) * pow (least + l).
Proof.
  intros Hd Hn. set (h := (2 ^ (d - 1))%Z). assert (H : (0 < h)%Z) by (apply Z.pow_pos_nonneg; lia). assert (E2 : (2 ^ d = 2 * h)%Z) by (unfold h; rewrite <- Z.pow_succ_r by lia; f_equal; lia).
  assert (D := Z.div_mod n h ltac:(lia)). assert (M := Z.mod_pos_bound n h ltac:(lia)). set (q := (n / h)%Z) in *. set (m := (n mod h)%Z) in *.
  assert (Q : (0 <= q)%Z) by (apply Z.div_pos; lia).
  exists (if (q =? 0)%Z then m else h + m)%Z, (if (q =? 0)%Z then 0 else q - 1)%Z. destruct (Z.eqb_spec q 0) as [E|E].
  - split; [lia|]. split; [lia|]. replace n with (0 * 2 ^ (d - 1) + m)%Z by lia. rewrite <- Z.add_assoc, !number_value by (fold h; lia). rewrite plus_IZR. auto.
  - split; [lia|]. split; [lia|]. replace n with ((q - 1) * 2 ^ (d - 1) + (h + m))%Z by (fold h; lia).
    rewrite <- Z.add_assoc, !number_value by (fold h; lia). rewrite (plus_IZR (h + m)). auto.
Qed.

Lemma number_next (n : Z) : (0 <= n)%Z -> exists k l : Z,
  (0 <= l)%Z /\ (0 <= k < 2 ^ 53)%Z /\ number64 n = IZR k * pow (-1074 + l) /\ number64 (n + 1) = (IZR k + 1) * pow (-1074 + l).
Proof. now apply (number_step 53 (-1074)). Qed.

Lemma next_up (d least n : Z) (z : R) : (1 < d)%Z -> (0 <= n)%Z -> round radix2 (FLT_exp least d) ZnearestE z = number d least n -> z <= number d least (n + 1).
Proof.
  intros Hd Hn E. assert (Pd : Prec_gt_0 d) by (unfold Prec_gt_0; lia). destruct (number_step d least n Hd Hn) as (k & l & Hl & Hk & V & W). rewrite W.
  assert (H := error_le_half_ulp_round radix2 (FLT_exp least d) (fun x => negb (Z.even x)) z). rewrite E in H. assert (P := bpow_gt_0 radix2 (least + l)).
  assert (U : ulp radix2 (FLT_exp least d) (number d least n) <= pow (least + l)).
  { destruct (Req_dec (number d least n) 0) as [Z|N].
    - rewrite Z, ulp_FLT_0 by exact Pd. apply bpow_le. lia.
    - rewrite ulp_neq_0 by exact N. apply bpow_le. unfold cexp. assert (M : (mag radix2 (number d least n) <= least + l + d)%Z).
      { apply mag_le_bpow; [exact N|]. rewrite V, Rabs_pos_eq by (apply Rmult_le_pos; [apply IZR_le; lia | lra]).
        replace (least + l + d)%Z with (d + (least + l))%Z by lia. rewrite (bpow_plus radix2 d (least + l)).
        apply Rmult_lt_compat_r; [exact P|]. rewrite <- (IZR_Zpower radix2) by lia. apply IZR_lt. change (radix_val radix2) with 2%Z. lia. }
      unfold FLT_exp. lia. }
  apply Rabs_le_inv in H. rewrite V in *. lra.
Qed.

Lemma next_above (n : Z) (z : R) : (0 <= n)%Z -> rnd64 z = number64 n -> z <= number64 (n + 1) /\ ((0 < n)%Z -> number64 (n - 1) <= z).
Proof.
  intros Hn E.
  split; [now apply (next_up 53 (-1074))|]. intros Hp. destruct (number_next (n - 1) ltac:(lia)) as (k & l & Hl & Hk & V & W).
  replace (n - 1 + 1)%Z with n in W by lia. rewrite V.
  (* k 2^(l - 1074) is in the format, and z rounds to a larger number *)
  apply Rnot_lt_le. intros L. assert (F : format64 (IZR k * pow (-1074 + l))).
  { apply generic_format_FLT. exists (Float radix2 k (-1074 + l)); [reflexivity| |].
    - change (Z.abs k < 2 ^ 53)%Z. lia.
    - cbn [Fexp]. lia. }
  assert (R := rnd64_le z (IZR k * pow (-1074 + l)) ltac:(lra)). rewrite (rnd64_exact _ F), E, W in R.
  assert (P := bpow_gt_0 radix2 (-1074 + l)). lra.
Qed.

(* The number with the bits n. *)
Definition number_of (n : Z) : option R := if (n <? infinity64)%Z then Some (number64 n) else None.

Lemma number_good (n : Z) : (0 <= n < infinity64)%Z -> format64 (number64 n) /\ 0 <= number64 n.
Proof.
  intros Hn. destruct (number_next n (proj1 Hn)) as (k & l & Hl & Hk & V & _). rewrite V. split.
  - apply generic_format_FLT. exists (Float radix2 k (-1074 + l)); [reflexivity | change (Z.abs k < 2 ^ 53)%Z; lia | cbn [Fexp]; lia].
  - apply Rmult_le_pos; [apply IZR_le; lia | apply bpow_ge_0].
Qed.

(* A double that is no smaller than z and not negative, or no finite number. *)
Definition bound (a : option R) (z : R) : Prop := match a with Some x => format64 x /\ 0 <= x /\ z <= x | None => True end.

Lemma bound_weaker (a : option R) (y z : R) : bound a y -> z <= y -> bound a z.
Proof. destruct a as [x|]; simpl; [|auto]. intros (F & P & L) H. repeat split; auto. lra. Qed.

Lemma bound_nothing (a : option R) (z : R) : bound a z -> bound a 0.
Proof. destruct a as [x|]; simpl; tauto. Qed.

Lemma bound_exact (x : R) : format64 x -> 0 <= x -> bound (Some x) x.
Proof. intros F P. repeat split; auto. lra. Qed.

Lemma fits_some (z x : R) : fits z = Some x -> x = z /\ Rabs z < pow 1024.
Proof. unfold fits. destruct (Rlt_bool_spec (Rabs z) (pow 1024)); intros E; [injection E as <-; auto | discriminate]. Qed.

Section Bits.
(* The bits of the finite numbers that are not negative, in order. *)
Variable bits_of : R -> Z.
Hypothesis bits_right : forall x, format64 x -> 0 <= x < pow 1024 -> (0 <= bits_of x < infinity64)%Z /\ number64 (bits_of x) = x.

Notation above := (above bits_of number_of).
Notation below := (below bits_of number_of).
Notation add_up := (add_up bits_of number_of).
Notation mul_up := (mul_up bits_of number_of).
Notation div_up := (div_up bits_of number_of).

Lemma above_bound (z : R) : 0 <= z -> bound (above (fits (rd64 z))) z.
Proof.
  intros Hz. unfold OutwardSource.above, fits. destruct (Rlt_bool_spec (Rabs (rd64 z)) (pow 1024)) as [L|L]; [|exact I].
  cbn [xfinite xbits]. assert (P := rnd64_nonnegative z Hz). change (rnd64 z) with (rd64 z) in P. rewrite Rabs_pos_eq in L by exact P.
  destruct (bits_right (rd64 z) (rnd64_format z) (conj P L)) as (B & V). change (wrap 64 1) with 1%Z.
  assert (B' := B). unfold infinity64 in B'. rewrite wrap_small by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
  unfold number_of. destruct (Z.ltb_spec (bits_of (rd64 z) + 1) infinity64) as [L1|L1]; [|exact I].
  destruct (number_good (bits_of (rd64 z) + 1) ltac:(lia)) as (F1 & P1). repeat split; auto.
  apply (next_above (bits_of (rd64 z)) z (proj1 B)). symmetry. exact V.
Qed.

Lemma below_number (x : R) : format64 x -> 0 < x < pow 1024 -> exists y, below (Some x) = Some y /\ format64 y /\ 0 <= y /\ (forall z, 0 <= z -> rd64 z = x -> y <= z) /\ (pow (-1074) < x -> 0 < y).
Proof.
  intros Fx X. destruct (bits_right x Fx ltac:(lra)) as (B & V). unfold OutwardSource.below. cbn [xlt xfinite xbits]. rewrite Rlt_bool_true by lra. cbn [andb].
  assert (N0 : number64 0 = 0) by (change 0%Z with (0 * 2 ^ (53 - 1) + 0)%Z at 1; rewrite (number_value 53 (-1074) 0 0) by lia; ring).
  assert (N : (0 < bits_of x)%Z) by (destruct (Z.eq_dec (bits_of x) 0) as [Q|Q]; [rewrite Q, N0 in V; lra | lia]).
  assert (B' := B). unfold infinity64 in B'. change (wrap 64 1) with 1%Z. rewrite wrap_small by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia).
  unfold number_of. replace (bits_of x - 1 <? infinity64)%Z with true by (symmetry; apply Z.ltb_lt; lia).
  exists (number64 (bits_of x - 1)). destruct (number_good (bits_of x - 1) ltac:(lia)) as (F1 & P1). split; [reflexivity|]. repeat split; auto.
  - intros z Hz E. apply (next_above (bits_of x) z (proj1 B)); [|exact N]. rewrite V. exact E.
  - intros H. destruct (number_next (bits_of x - 1) ltac:(lia)) as (k & l & Hl & Hk & V1 & W). replace (bits_of x - 1 + 1)%Z with (bits_of x) in W by lia.
    rewrite V in W. rewrite V1. assert (Q := bpow_gt_0 radix2 (-1074 + l)). apply Rmult_lt_0_compat; [|exact Q]. apply IZR_lt.
    destruct (Z.eq_dec k 0) as [K|K]; [|lia]. exfalso. subst k. rewrite Rmult_0_l in V1.
    (* then the bits are 1 *)
    assert (E1 : (bits_of x - 1 = 0)%Z).
    { assert (Mono : forall n, (0 < n < infinity64)%Z -> 0 < number64 n).
      { intros n Hn. destruct (Rle_lt_or_eq_dec 0 (number64 n) (proj2 (number_good n ltac:(lia)))) as [G|G]; [exact G|]. exfalso. symmetry in G. unfold number in G. change (53 - 1)%Z with 52%Z in G.
        assert (D := Z.div_mod n (2 ^ 52) ltac:(lia)). assert (M := Z.mod_pos_bound n (2 ^ 52) ltac:(lia)). assert (Qn : (0 <= n / 2 ^ 52)%Z) by (apply Z.div_pos; lia).
        destruct (Z.eqb_spec (n / 2 ^ 52) 0) as [E|E]; apply Rmult_integral in G as [G|G]; try (assert (T := bpow_gt_0 radix2 (-1074))); try (assert (T2 := bpow_gt_0 radix2 (-1074 + n / 2 ^ 52 - 1))); try lra.
        - apply eq_IZR in G. rewrite E, G in D. lia.
        - apply eq_IZR in G. lia. }
      destruct (Z.eq_dec (bits_of x - 1) 0) as [Q1|Q1]; [exact Q1|]. specialize (Mono (bits_of x - 1)%Z ltac:(lia)). rewrite V1 in Mono. lra. }
    assert (E2 : bits_of x = 1%Z) by lia. assert (V2 : number64 1 = pow (-1074)).
    { change 1%Z with (0 * 2 ^ (53 - 1) + 1)%Z at 1. rewrite (number_value 53 (-1074) 0 1) by lia. rewrite Rmult_1_l. f_equal. }
    rewrite E2, V2 in V. lra.
Qed.

Lemma add_bound (a b : option R) (x y : R) : bound a x -> bound b y -> bound (add_up a b) (x + y).
Proof.
  destruct a as [v|], b as [w|]; try (intros; exact I). intros (Fv & Pv & Lv) (Fw & Pw & Lw). apply bound_weaker with (v + w); [|lra].
  assert (A := above_bound (v + w) ltac:(lra)). unfold OutwardSource.add_up, xadd, xtwo. cbv zeta.
  destruct (fits (rd64 (v + w))) as [s|] eqn:E; [|exact A]. cbn [xeq]. destruct (Req_bool_spec s (IZR 0)) as [Z|Z]; [|exact A].
  apply fits_some in E as (E & _). assert (H := rnd64_sum v w Fv Fw). change (rnd64 (v + w)) with (rd64 (v + w)) in H. rewrite <- E, Z in H.
  rewrite (Rabs_pos_eq (v + w)) in H by lra. apply Rabs_le_inv in H. unfold u64 in H. repeat split; [apply generic_format_0 | lra | lra].
Qed.

Lemma mul_bound (a b : option R) (x y : R) : 0 <= x -> 0 <= y -> bound a x -> bound b y -> bound (mul_up a b) (x * y).
Proof.
  intros Hx Hy. destruct a as [v|], b as [w|]; try (intros; exact I). intros (Fv & Pv & Lv) (Fw & Pw & Lw).
  apply bound_weaker with (v * w); [apply above_bound; now apply Rmult_le_pos | now apply Rmult_le_compat].
Qed.

Lemma div_bound (a : option R) (x v : R) : 0 < v -> bound a x -> bound (div_up a (Some v)) (x / v).
Proof.
  intros Hv. destruct a as [w|]; [|intros; exact I]. intros (Fw & Pw & Lw). unfold OutwardSource.div_up. cbn [xdiv]. rewrite Req_bool_false by lra.
  assert (I := Rinv_0_lt_compat v Hv). apply bound_weaker with (w / v); [apply above_bound; apply Rmult_le_pos; lra | apply Rmult_le_compat_r; lra].
Qed.

Lemma max_bound (a b : option R) (x y : R) : bound a x -> bound b y -> bound (xmax a b) x /\ bound (xmax a b) y.
Proof.
  destruct a as [v|], b as [w|]; simpl; auto. intros (Fv & Pv & Lv) (Fw & Pw & Lw). assert (M := Rmax_l v w). assert (M2 := Rmax_r v w).
  assert (F : format64 (Rmax v w)) by (unfold Rmax; now destruct Rle_dec). repeat split; auto; lra.
Qed.

(* Theorem: the results of the outward operations are no smaller than the exact ones, subnormals and overflow included. *)
Theorem outward_operations (a b : R) : format64 a -> format64 b -> 0 <= a -> 0 <= b ->
  bound (add_up (Some a) (Some b)) (a + b) /\ bound (mul_up (Some a) (Some b)) (a * b) /\ (0 < b -> bound (div_up (Some a) (Some b)) (a / b)).
Proof.
  intros Fa Fb A B. split; [|split].
  - apply add_bound; now apply bound_exact.
  - apply mul_bound; auto; now apply bound_exact.
  - intros P. apply div_bound; auto. now apply bound_exact.
Qed.

Notation sum_up := (sum_up bits_of number_of).
Notation scale_up := (scale_up bits_of number_of).

(* Products or numbers, each with what the code adds for it: rounded once. *)
Definition rounded_once (terms : list (R * R)) : Prop := Forall (fun t => 0 <= fst t /\ snd t = rnd64 (fst t)) terms.

Lemma exact_total (terms : list (R * R)) : rounded_once terms ->
  lower * total (map fst terms) <= total (map snd terms) + INR (length terms) * pow (-1075) /\ 0 <= total (map fst terms).
Proof.
  intros H. induction H as [|t terms (P & V) _ (I & I0)]; [unfold total, sum_of; cbn [map fold_right length]; change (INR 0) with 0; rewrite Rmult_0_l; lra|]. cbn [map length]. rewrite S_INR.
  change (total (fst t :: map fst terms)) with (total (map fst terms) + fst t). change (total (snd t :: map snd terms)) with (total (map snd terms) + snd t).
  assert (B := rnd64_error (fst t)). rewrite (Rabs_pos_eq (fst t)) in B by exact P. apply Rabs_le_inv in B. rewrite <- V in B.
  assert (E : u64 * normal64 = pow (-1075)) by (rewrite u64_bpow; unfold normal64; rewrite <- bpow_plus; reflexivity). rewrite E in B. lra.
Qed.


(* Theorem: sum_up of a sum in doubles, in any order, of at most `terms` rounded products is no smaller than the exact sum. *)
Theorem sum_up_bounds (xs : list (R * R)) (leaves : list R) (sum : R) (terms : Z) : rounded_once xs -> Permutation leaves (map snd xs) -> adds leaves sum ->
  (Z.of_nat (length xs) <= terms <= 2 ^ 50)%Z -> bound (sum_up (Some sum) terms) (total (map fst xs)).
Proof.
  intros Hx Hp Ha Hn. change (2 ^ 50)%Z with 1125899906842624%Z in Hn. assert (L := lower_range).
  assert (Lf : Forall (fun x => 0 <= x /\ format64 x) leaves).
  { rewrite Forall_forall. intros x I. apply (Permutation_in x Hp) in I. apply in_map_iff in I as (t & <- & I). unfold rounded_once in Hx. rewrite Forall_forall in Hx. destruct (Hx t I) as (P & ->). split; [now apply rnd64_nonnegative | apply rnd64_format]. }
  destruct (adds_lower leaves sum Ha Lf) as (S0 & Fs & T0 & _ & B). rewrite (total_permutation _ _ Hp) in *. destruct (exact_total xs Hx) as (I & I0).
  set (T := total (map fst xs)) in *. set (V := total (map snd xs)) in *. set (n := length xs) in *. assert (N : INR n <= IZR terms) by (rewrite INR_IZR_INZ; apply IZR_le; unfold n; lia).
  assert (K0 : 0 <= IZR terms) by (apply IZR_le; lia). assert (K1 : IZR terms <= 1125899906842624) by (apply IZR_le; lia). assert (U : 0 < u64) by (unfold u64; lra).
  assert (Ex : rd64 (IZR terms * pow (-52)) = 2 * IZR terms * u64).
  { replace (2 * IZR terms * u64) with (IZR terms * pow (-52)) by (unfold u64; simpl; lra). apply rnd64_exact, format64_scaled; [|].
    - rewrite <- (rd64_integer terms) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). apply rnd64_format.
    - destruct (Z.eq_dec terms 0) as [->|Nz]; [now left | right]. assert (1 <= IZR terms) by (apply IZR_le; lia). rewrite Rabs_pos_eq by lra. apply Rle_trans with (pow (-52)); [apply bpow_le; lia|]. assert (Q := bpow_gt_0 radix2 (-52)). nra. }
  (* the factor *)
  assert (T0' : format64 (IZR terms)) by (rewrite <- (rd64_integer terms) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia); apply rnd64_format).
  assert (Eta : bound (mul_up (Some (IZR terms)) (Some (pow (-1074)))) (IZR terms * pow (-1074))).
  { apply mul_bound; [lra | apply bpow_ge_0 | now apply bound_exact | apply bound_exact; [apply format64_bpow; lia | apply bpow_ge_0]]. }
  set (one := above (xadd (Some (IZR 1)) (xmul (Some (IZR terms)) (Some (IZR 1 / IZR 4503599627370496))))).
  assert (Fac : bound one (1 + 2 * IZR terms * u64)).
  { unfold one. replace (IZR 1 / IZR 4503599627370496) with (pow (-52)) by (simpl; lra). unfold xmul, xtwo. rewrite Ex. unfold fits at 1.
    rewrite Rlt_bool_true by (rewrite Rabs_pos_eq by (unfold u64; lra); apply Rlt_le_trans with (pow 1); [unfold u64; change (pow 1) with 2; lra | apply bpow_le; lia]).
    apply above_bound. unfold u64. lra. }
  assert (Es : sum_up (Some sum) terms = add_up (mul_up (Some sum) one) (mul_up (Some (IZR terms)) (Some (pow (-1074))))).
  { unfold OutwardSource.sum_up, least_subnormal. cbv zeta. now rewrite (rd64_integer terms) by (change (2 ^ 53)%Z with 9007199254740992%Z; lia). }
  rewrite Es. clear Es. destruct one as [factor|]; [|exact Logic.I]. destruct Fac as (Ff & F0 & Fac).
  assert (Len : (nonzeros leaves <= n)%nat).
  { unfold n. rewrite <- (map_length snd xs), <- (Permutation_length Hp). unfold nonzeros. clear. induction leaves as [|x l IH]; simpl; [lia|]. destruct (negb _); simpl; lia. }
  (* (1 - u)^n V <= sum, and the factor pays for it and for the products *)
  assert (Be : forall m, 1 - INR m * u64 <= lower ^ m).
  { clear - U. intros m. induction m as [|m IH]; [simpl; lra|]. rewrite S_INR. simpl (lower ^ S m). assert (0 <= INR m) by apply pos_INR. assert (L := lower_range). assert (Q : lower * (1 - INR m * u64) <= lower * lower ^ m) by (apply Rmult_le_compat_l; lra). nra. }
  assert (Pay : V <= lower * (sum * factor)).
  { assert (Ks : IZR terms * u64 <= / 8) by (unfold u64; lra). destruct (nonzeros leaves) as [|m] eqn:Em.
    - assert (V = 0). { destruct (adds_lower leaves sum Ha Lf) as (_ & _ & _ & Z0 & _). rewrite (total_permutation _ _ Hp) in Z0. now destruct (Z0 Em). }
      assert (0 <= sum * factor) by (apply Rmult_le_pos; [exact S0 | nra]). nra.
    - cbn [Nat.pred] in B. assert (M : INR (S m) <= IZR terms) by (eapply Rle_trans; [apply le_INR; exact Len | exact N]). rewrite S_INR in M. assert (Bm := Be m). assert (M0 := pos_INR m).
      assert (Bm' : 1 - (IZR terms - 1) * u64 <= lower ^ m) by nra. assert (A1 : (1 - (IZR terms - 1) * u64) * V <= sum) by (eapply Rle_trans; [|exact B]; apply Rmult_le_compat_r; assumption).
      assert (C : 1 <= lower * ((1 - (IZR terms - 1) * u64) * (1 + 2 * IZR terms * u64))).
      { assert (t1 : 1 <= IZR terms) by lra. set (t := IZR terms) in *. assert (q : t * u64 * (t * u64) <= / 8 * (t * u64)) by (apply Rmult_le_compat_r; nra).
        assert (C1 : 1 + u64 + (t * u64 - 2 * (t * u64 * (t * u64))) <= (1 - (t - 1) * u64) * (1 + 2 * t * u64)) by nra. assert (C2 : u64 <= t * u64) by nra. assert (C3 : 1 + u64 + 3 / 4 * u64 <= (1 - (t - 1) * u64) * (1 + 2 * t * u64)) by nra.
        assert (C4 : lower * (1 + u64 + 3 / 4 * u64) <= lower * ((1 - (t - 1) * u64) * (1 + 2 * t * u64))) by (apply Rmult_le_compat_l; lra). apply Rle_trans with (lower * (1 + u64 + 3 / 4 * u64)); [unfold u64; lra | exact C4]. }
      assert (A2 : (1 - (IZR terms - 1) * u64) * V * (1 + 2 * IZR terms * u64) <= sum * factor) by (apply Rmult_le_compat; try assumption; [apply Rmult_le_pos; nra | nra]).
      apply Rle_trans with (lower * ((1 - (IZR terms - 1) * u64) * V * (1 + 2 * IZR terms * u64))); [|apply Rmult_le_compat_l; lra].
      replace (lower * ((1 - (IZR terms - 1) * u64) * V * (1 + 2 * IZR terms * u64))) with (lower * ((1 - (IZR terms - 1) * u64) * (1 + 2 * IZR terms * u64)) * V) by ring.
      rewrite <- (Rmult_1_l V) at 1. apply Rmult_le_compat_r; [exact T0 | exact C]. }
  assert (M1 : bound (mul_up (Some sum) (Some factor)) (sum * factor)) by (apply mul_bound; auto; now apply bound_exact).
  apply bound_weaker with (sum * factor + IZR terms * pow (-1074)); [now apply add_bound|].
  replace (pow (-1074)) with (2 * pow (-1075)) in * by (change 2 with (pow 1); rewrite <- bpow_plus; reflexivity).
  assert (Pt := bpow_gt_0 radix2 (-1075)). assert (N2 : INR n * pow (-1075) <= IZR terms * pow (-1075)) by (apply Rmult_le_compat_r; lra).
  assert (Half : 3 / 4 <= lower) by (unfold u64; lra). assert (X0 : 0 <= IZR terms * pow (-1075)) by (apply Rmult_le_pos; lra).
  apply Rmult_le_reg_l with lower; [lra|]. assert (W : lower * (IZR terms * (2 * pow (-1075))) >= INR n * pow (-1075)) by nra. lra.
Qed.

(* Theorem: scale_up is no smaller than x 2^e. *)
Theorem scale_up_bounds (x : R) (e : Z) : format64 x -> 0 <= x -> bound (scale_up (Some x) e) (x * pow e).
Proof.
  intros Fx Hx. assert (P := bpow_gt_0 radix2 e). assert (A := above_bound (x * pow e) ltac:(apply Rmult_le_pos; lra)).
  unfold OutwardSource.scale_up, xscale. cbv zeta. destruct (fits (rd64 (x * pow e))) as [s|] eqn:E; [|exact A]. destruct (xeq (fits (rd64 (s * pow (- e)))) (Some x)) eqn:Q; [|exact A].
  assert (Es := fits_some _ _ E). destruct Es as (Es & _).
  assert (S0 : 0 <= s) by (rewrite Es; apply rnd64_nonnegative, Rmult_le_pos; lra). assert (Fs : format64 s) by (rewrite Es; apply rnd64_format). repeat split; auto.
  destruct (fits (rd64 (s * pow (- e)))) as [b|] eqn:Eb; [|discriminate]. cbn [xeq] in Q. destruct (Req_bool_spec b x) as [B|]; [|discriminate]. apply fits_some in Eb as (Eb & _). rewrite B in Eb.
  assert (Scale : forall y n, format64 y -> (0 <= n)%Z -> format64 (y * pow n)).
  { intros y n Fy Hn. apply FLT_format_generic in Fy; [|reflexivity]. destruct Fy as [(m, f) Em Hm Hf]. cbn [Fnum Fexp] in *. apply generic_format_FLT. exists (Float radix2 m (f + n)); [|exact Hm | cbn [Fexp]; lia].
    rewrite Em. unfold F2R. cbn [Fnum Fexp]. rewrite bpow_plus. ring. }
  destruct (Z.le_gt_cases 0 e) as [He|He].
  - rewrite Es. right. symmetry. apply rnd64_exact. now apply Scale.
  - assert (R : rd64 (s * pow (- e)) = s * pow (- e)) by (apply rnd64_exact, Scale; [exact Fs | lia]). rewrite R in Eb.
    assert (One : pow (- e) * pow e = 1) by (rewrite <- bpow_plus; now replace (- e + e)%Z with 0%Z by lia). right. rewrite Eb, Rmult_assoc, One. ring.
Qed.

End Bits.
