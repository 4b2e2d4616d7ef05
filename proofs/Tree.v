(* DOT's tree of partial sums (lib/cpu/dot2/dot2.cpp: tree, dot2_tree) and its bound. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats Dot2Source Dot2 Dot2Bound TreeSource.

Open Scope R_scope.

Lemma exact_sum_app (l r : list (R * R)) : exact_sum (r ++ l) = exact_sum l + exact_sum r.
Proof. induction r as [|t r IH]; simpl; [unfold exact_sum; simpl; ring|]. unfold exact_sum in *. simpl. rewrite IH. ring. Qed.

Lemma sum_of_sizes_app (l r : list (R * R)) : sum_of_sizes (r ++ l) = sum_of_sizes l + sum_of_sizes r.
Proof. induction r as [|t r IH]; simpl; [unfold sum_of_sizes; simpl; ring|]. unfold sum_of_sizes in *. simpl. rewrite IH. ring. Qed.

Section Terms.
Variables x y : Z -> R.

(* The terms of a lane among `count` ones from `first` on, the last one first, and all of them. *)
Fixpoint lane_terms (count : nat) (first l : Z) : list (R * R) :=
  match count with O => nil | S k => if ((first + Z.of_nat k) mod 32 =? l)%Z then (x (first + Z.of_nat k)%Z, y (first + Z.of_nat k)%Z) :: lane_terms k first l else lane_terms k first l end.
Fixpoint all_terms (count : nat) : list (R * R) := match count with O => nil | S k => (x (Z.of_nat k), y (Z.of_nat k)) :: all_terms k end.

Lemma lane_terms_app (a b : nat) (first l : Z) : lane_terms (a + b) first l = lane_terms b (first + Z.of_nat a) l ++ lane_terms a first l.
Proof.
  induction b as [|b IH]; [now rewrite Nat.add_0_r|]. rewrite Nat.add_succ_r. cbn [lane_terms]. rewrite IH. replace (first + Z.of_nat (a + b))%Z with (first + Z.of_nat a + Z.of_nat b)%Z by lia.
  now destruct (_ =? l)%Z.
Qed.

Lemma lane_length (k : nat) (first l : Z) : (first mod 32 = 0)%Z -> (0 <= l < 32)%Z -> Z.of_nat (length (lane_terms k first l)) = ((Z.of_nat k + 31 - l) / 32)%Z.
Proof.
  intros Hf Hl. induction k as [|k IH]; [cbn [lane_terms length]; change (Z.of_nat 0) with 0%Z; rewrite Z.div_small by lia; reflexivity|]. cbn [lane_terms].
  assert (E : ((first + Z.of_nat k) mod 32 = Z.of_nat k mod 32)%Z) by (rewrite Z.add_mod, Hf, Z.add_0_l, Z.mod_mod by lia; reflexivity). rewrite E.
  destruct (Z.eqb_spec (Z.of_nat k mod 32) l) as [Q|Q]; [cbn [length]; rewrite Nat2Z.inj_succ, IH | rewrite IH]; rewrite Nat2Z.inj_succ; Z.to_euclidean_division_equations; lia.
Qed.

(* Sums over the lanes are sums over all. *)
Fixpoint over_lanes (h : nat) (f : Z -> R) : R := match h with O => 0 | S k => over_lanes k f + f (Z.of_nat k) end.

Lemma over_lanes_one (h : nat) (f : Z -> R) (g : Z -> bool) (t : R) (l : Z) : (0 <= l)%Z -> (forall j, (0 <= j)%Z -> g j = (l =? j)%Z) ->
  over_lanes h (fun j => if g j then f j + t else f j) = over_lanes h f + (if (l <? Z.of_nat h)%Z then t else 0).
Proof.
  intros Hl Hg. induction h as [|h IH]; [simpl; destruct (Z.ltb_spec l 0); [lia | ring]|]. cbn [over_lanes]. rewrite IH, Hg by lia.
  destruct (Z.eqb_spec l (Z.of_nat h)), (Z.ltb_spec l (Z.of_nat h)), (Z.ltb_spec l (Z.of_nat (S h))); try lia; ring.
Qed.

Lemma lanes_cover (F : list (R * R) -> R) (phi : R * R -> R) (k : nat) : F nil = 0 -> (forall t l, F (t :: l) = F l + phi t) ->
  over_lanes 32 (fun l => F (lane_terms k 0 l)) = F (all_terms k).
Proof.
  intros F0 F1. induction k as [|k IH]; [cbn [lane_terms all_terms]; rewrite F0; simpl; ring|]. cbn [all_terms]. rewrite F1, <- IH.
  set (l := (Z.of_nat k mod 32)%Z). assert (L : (0 <= l < 32)%Z) by (apply Z.mod_pos_bound; lia). set (t := phi (x (Z.of_nat k), y (Z.of_nat k))).
  assert (E : over_lanes 32 (fun j => F (lane_terms (S k) 0 j)) = over_lanes 32 (fun j => if (l =? j)%Z then F (lane_terms k 0 j) + t else F (lane_terms k 0 j))).
  { assert (G : forall h, over_lanes h (fun j => F (lane_terms (S k) 0 j)) = over_lanes h (fun j => if (l =? j)%Z then F (lane_terms k 0 j) + t else F (lane_terms k 0 j))); [|apply G].
    induction h as [|h IHh]; [reflexivity|]. cbn [over_lanes]. rewrite IHh. f_equal. cbn [lane_terms]. rewrite Z.add_0_l. fold l. destruct (l =? Z.of_nat h)%Z; [apply F1 | reflexivity]. }
  rewrite E, (over_lanes_one 32 (fun j => F (lane_terms k 0 j)) (fun j => (l =? j)%Z) t l) by (auto; lia). destruct (Z.ltb_spec l (Z.of_nat 32)); [reflexivity | lia].
Qed.

(* What is known of a pair for a list of terms: within a block, and after m combinations in a row. *)
Variables (step_term : R * R -> Z -> Z -> R * R) (combine : R * R -> R * R -> R * R) (within : R * R -> list (R * R) -> Prop) (after : nat -> R * R -> list (R * R) -> Prop).
Hypothesis within_zero : within (0, 0) nil.
Hypothesis within_step : forall pair terms sum i, within pair terms -> within (step_term pair sum i) ((x i, y i) :: terms).
Hypothesis after_block : forall pair terms, within pair terms -> (length terms <= 32)%nat -> after 0 pair terms.
Hypothesis after_combine : forall m p q a b, after m p a -> after m q b -> after (S m) (combine p q) (b ++ a).
Hypothesis after_more : forall m m' pair terms, (m <= m')%nat -> after m pair terms -> after m' pair terms.

(* Pairs of lanes that hold the terms of lists. *)
Definition pairs_hold (m : nat) (half : Z) (lanes : Z -> R * R) (terms : Z -> list (R * R)) : Prop := forall l, (0 <= l < half)%Z -> after m (lanes l) (terms l).

Lemma update_same {A} (f : Z -> A) (i : Z) (v : A) : update f i v i = v.
Proof. unfold update. now rewrite Z.eqb_refl. Qed.
Lemma update_other {A} (f : Z -> A) (i j : Z) (v : A) : j <> i -> update f i v j = f j.
Proof. intros H. unfold update. destruct (Z.eqb_spec j i); [contradiction | reflexivity]. Qed.

(* A round over lanes, with lanes of another array or of the upper half. *)
Lemma round_holds (m : nat) (half : Z) (lanes : Z -> R * R) (terms : Z -> list (R * R)) : (0 <= half)%Z -> pairs_hold m (half + half) lanes terms ->
  pairs_hold (S m) half (for_up 0 half (fun l lanes => update lanes l (combine (lanes l) (lanes (l + half)%Z))) lanes) (fun l => terms (l + half)%Z ++ terms l).
Proof.
  intros Hh H. assert (E : forall l, (0 <= l < half)%Z -> for_up 0 half (fun l lanes => update lanes l (combine (lanes l) (lanes (l + half)%Z))) lanes l = combine (lanes l) (lanes (l + half)%Z)).
  { enough (Q : (forall l, (0 <= l < half)%Z -> for_up 0 half (fun l lanes => update lanes l (combine (lanes l) (lanes (l + half)%Z))) lanes l = combine (lanes l) (lanes (l + half)%Z)) /\
      (forall l, (half <= l)%Z -> for_up 0 half (fun l lanes => update lanes l (combine (lanes l) (lanes (l + half)%Z))) lanes l = lanes l)) by apply Q.
    apply (for_up_invariant (fun k s => (forall l, (0 <= l < k)%Z -> s l = combine (lanes l) (lanes (l + half)%Z)) /\ (forall l, (k <= l)%Z -> s l = lanes l))).
    - exact Hh.
    - split; [intros; lia | reflexivity].
    - intros k s Hk (Done & Rest). split; intros l Hl.
      + destruct (Z.eq_dec l k) as [->|N]; [rewrite update_same, !Rest by lia; reflexivity | rewrite update_other by exact N; apply Done; lia].
      + rewrite update_other by lia. apply Rest. lia. }
  intros l Hl. rewrite E by exact Hl. apply after_combine; apply H; lia.
Qed.

Lemma joined_holds (m : nat) (lanes right : Z -> R * R) (a b : Z -> list (R * R)) : pairs_hold m 32 lanes a -> pairs_hold m 32 right b ->
  pairs_hold (S m) 32 (for_up 0 32 (fun l lanes => update lanes l (combine (lanes l) (right l))) lanes) (fun l => b l ++ a l).
Proof.
  intros H1 H2. assert (E : (forall l, (0 <= l < 32)%Z -> for_up 0 32 (fun l lanes => update lanes l (combine (lanes l) (right l))) lanes l = combine (lanes l) (right l)) /\
    (forall l, (32 <= l)%Z -> for_up 0 32 (fun l lanes => update lanes l (combine (lanes l) (right l))) lanes l = lanes l)).
  { apply (for_up_invariant (fun k s => (forall l, (0 <= l < k)%Z -> s l = combine (lanes l) (right l)) /\ (forall l, (k <= l)%Z -> s l = lanes l))).
    - lia.
    - split; [intros; lia | reflexivity].
    - intros k s Hk (Done & Rest). split; intros l Hl.
      + destruct (Z.eq_dec l k) as [->|N]; [rewrite update_same, Rest by lia; reflexivity | rewrite update_other by exact N; apply Done; lia].
      + rewrite update_other by lia. apply Rest. lia. }
  intros l Hl. rewrite (proj1 E) by exact Hl. apply after_combine; [now apply H1 | now apply H2].
Qed.

(* The block of one leaf. *)
Lemma block_holds (first : Z) (k : nat) : (Z.of_nat k <= 1024)%Z -> (first mod 32 = 0)%Z ->
  pairs_hold 0 32 (for_up first (first + Z.of_nat k) (fun i lanes => update lanes (Z.rem (i - first) 32) (step_term (lanes (Z.rem (i - first) 32)) 0 i)) (fun _ => (0, 0))) (lane_terms k first).
Proof.
  intros Hk Hf. set (result := for_up _ _ _ _). assert (Short : forall j l, (0 <= l < 32)%Z -> (j <= k)%nat -> (length (lane_terms j first l) <= 32)%nat).
  { intros j l Hl Hj. apply Nat2Z.inj_le. rewrite lane_length by assumption. apply Z.lt_succ_r, Z.div_lt_upper_bound; lia. }
  enough (Q : forall l, (0 <= l < 32)%Z -> within (result l) (lane_terms (Z.to_nat (first + Z.of_nat k - first)) first l)).
  { intros l Hl. specialize (Q l Hl). replace (Z.to_nat (first + Z.of_nat k - first)) with k in Q by lia. apply after_block; [exact Q | now apply Short]. }
  apply (for_up_invariant (fun i lanes => forall l, (0 <= l < 32)%Z -> within (lanes l) (lane_terms (Z.to_nat (i - first)) first l))).
  - lia.
  - intros l Hl. rewrite Z.sub_diag. exact within_zero.
  - intros i lanes Hi H l Hl. set (j := Z.to_nat (i - first)). assert (Ej : i = (first + Z.of_nat j)%Z) by lia. replace (Z.to_nat (i + 1 - first)) with (S j) by lia. cbn [lane_terms]. rewrite <- Ej.
    assert (Em : Z.rem (i - first) 32 = (i mod 32)%Z).
    { rewrite Z.rem_mod_nonneg by lia. rewrite Zminus_mod, Hf, Z.sub_0_r, Z.mod_mod by lia. reflexivity. }
    rewrite Em. specialize (H l Hl). fold j in H. destruct (Z.eqb_spec (i mod 32) l) as [Q|Q].
    + rewrite Q, update_same. now apply within_step.
    + rewrite update_other by congruence. exact H.
Qed.

(* The recursion, with a bound of its depth. *)
Variable n : Z.
Fixpoint tree_of (fuel : nat) (sum first count : Z) : Z -> R * R :=
  match fuel with O => fun _ => (0, 0) | S f => tree_body step_term combine 0 n (tree_of f) (fun _ => (0, 0)) first count end.

Definition terms_from (first count : Z) : Z -> list (R * R) := lane_terms (Z.to_nat (Z.min ((first + count) * 1024) n - first * 1024)) (first * 1024).

Lemma pairs_weaker (m m' : nat) (half : Z) (lanes : Z -> R * R) (terms : Z -> list (R * R)) : (m <= m')%nat -> pairs_hold m half lanes terms -> pairs_hold m' half lanes terms.
Proof. intros Hm H l Hl. exact (after_more m m' _ _ Hm (H l Hl)). Qed.

Lemma tree_holds (fuel : nat) : forall first count sum, (0 <= first)%Z -> (1 <= count <= 2 ^ 31)%Z -> ((first + count - 1) * 1024 < n)%Z -> (Z.log2_up count < Z.of_nat fuel)%Z ->
  pairs_hold (Z.to_nat (Z.log2_up count)) 32 (tree_of fuel sum first count) (terms_from first count).
Proof.
  induction fuel as [|fuel IH]; intros first count sum Hf Hc Hn Hd; [assert (P := Z.log2_up_nonneg count); lia|]. cbn [tree_of]. unfold tree_body. change dot2_dot_block with 1024%Z. change dot2_lanes with 32%Z. cbv zeta.
  destruct (Z.eqb_spec count 1) as [->|N].
  - change (Z.to_nat (Z.log2_up 1)) with 0%nat. unfold terms_from. set (k := Z.to_nat (Z.min ((first + 1) * 1024) n - first * 1024)). replace (Z.min (first * 1024 + 1024) n) with (first * 1024 + Z.of_nat k)%Z by lia.
    apply block_holds; [lia|]. replace (first * 1024)%Z with (first * 32 * 32)%Z by ring. apply Z.mod_mul. lia.
  - assert (H31 : (2 ^ 31 = 2147483648)%Z) by reflexivity. rewrite (wrap_small 64 (count - 1)) by (change (2 ^ 64)%Z with 18446744073709551616%Z; lia). unfold bit_floor. destruct (Z.eqb_spec (count - 1) 0) as [Q|_]; [lia|].
    set (e := Z.log2 (count - 1)). assert (E0 : (0 <= e)%Z) by apply Z.log2_nonneg. assert (Sp := Z.log2_spec (count - 1) ltac:(lia)). fold e in Sp. set (half := (2 ^ e)%Z) in *. assert (H2 : (2 ^ Z.succ e = 2 * half)%Z) by (unfold half; apply Z.pow_succ_r; exact E0).
    assert (Hh : (1 <= half)%Z) by (unfold half; assert (0 < 2 ^ e)%Z by (apply Z.pow_pos_nonneg; lia); lia). rewrite (wraps_small 64 half) by (change (2 ^ (64 - 1))%Z with 9223372036854775808%Z; lia).
    assert (Up : Z.log2_up count = Z.succ e) by (unfold Z.log2_up; replace (1 ?= count)%Z with Lt by (symmetry; apply Z.compare_lt_iff; lia); unfold e; f_equal; f_equal; lia). rewrite Up in *.
    assert (L1 : Z.log2_up half = e) by (unfold half; now apply Z.log2_up_pow2). assert (L2 : (Z.log2_up (count - half) <= e)%Z) by (rewrite <- L1; apply Z.log2_up_le_mono; lia).
    assert (A := IH first half 0%Z Hf ltac:(lia) ltac:(lia) ltac:(lia)). assert (B := IH (first + half)%Z (count - half)%Z 0%Z ltac:(lia) ltac:(lia) ltac:(lia) ltac:(lia)).
    rewrite L1 in A. apply (pairs_weaker _ (Z.to_nat e)) in B; [|lia]. replace (Z.to_nat (Z.succ e)) with (S (Z.to_nat e)) by lia.
    assert (J := joined_holds (Z.to_nat e) _ _ _ _ A B). intros l Hl. specialize (J l Hl). cbv beta in J. unfold terms_from in *.
    replace (Z.to_nat (Z.min ((first + count) * 1024) n - first * 1024)) with (Z.to_nat (half * 1024) + Z.to_nat (Z.min ((first + half + (count - half)) * 1024) n - (first + half) * 1024))%nat by lia.
    rewrite lane_terms_app, Z2Nat.id by lia. replace (first * 1024 + half * 1024)%Z with ((first + half) * 1024)%Z by ring.
    replace (Z.to_nat (Z.min ((first + half) * 1024) n - first * 1024)) with (Z.to_nat (half * 1024)) in J by lia. exact J.
Qed.

(* All of it: n terms, and the combination of the lanes. *)
Lemma end_holds : (1 <= n <= 2 ^ 40)%Z -> exists terms, after (Z.to_nat (Z.log2_up (ceil_div n dot2_dot_block)) + 5) (tree_end combine 0 n (tree_of 64)) terms /\
  forall (F : list (R * R) -> R) (phi : R * R -> R), F nil = 0 -> (forall t l, F (t :: l) = F l + phi t) -> (forall a b, F (b ++ a) = F a + F b) -> F terms = F (all_terms (Z.to_nat n)).
Proof.
  intros Hn. change (2 ^ 40)%Z with 1099511627776%Z in Hn. unfold tree_end. change dot2_lanes with 32%Z. set (count := ceil_div n dot2_dot_block).
  assert (Ec : count = ((n + 1023) / 1024)%Z) by (unfold count, ceil_div, dot2_dot_block; rewrite Z.quot_div_nonneg by lia; f_equal; lia).
  assert (Hc : (1 <= count <= 2 ^ 31)%Z) by (change (2 ^ 31)%Z with 2147483648%Z; rewrite Ec; split; [apply Z.div_le_lower_bound; lia | apply Z.div_le_upper_bound; lia]).
  assert (Hb : ((count - 1) * 1024 < n <= count * 1024)%Z) by (rewrite Ec; Z.to_euclidean_division_equations; lia). rewrite Z.max_l by lia.
  assert (T := tree_holds 64 0 count 0 ltac:(lia) Hc ltac:(lia) ltac:(assert (L := Z.log2_up_le_mono count (2 ^ 31) (proj2 Hc)); rewrite Z.log2_up_pow2 in L by lia; lia)).
  set (m := Z.to_nat (Z.log2_up count)) in *. set (lanes := tree_of 64 0 0 count) in *. clearbody lanes. unfold terms_from in T. replace (Z.to_nat (Z.min ((0 + count) * 1024) n - 0 * 1024)) with (Z.to_nat n) in T by lia. rewrite Z.mul_0_l in T.
  set (t0 := lane_terms (Z.to_nat n) 0) in T. cbv zeta. change (Z.quot 32 2) with 16%Z. change 1000%nat with (S (S (S (S (S (S 994)))))). generalize 994%nat. intros fuel. cbn [loop].
  change (16 >? 0)%Z with true. change (Z.quot 16 2) with 8%Z. change (8 >? 0)%Z with true. change (Z.quot 8 2) with 4%Z. change (4 >? 0)%Z with true. change (Z.quot 4 2) with 2%Z. change (2 >? 0)%Z with true.
  change (Z.quot 2 2) with 1%Z. change (1 >? 0)%Z with true. change (Z.quot 1 2) with 0%Z. change (0 >? 0)%Z with false. cbv iota beta.
  assert (T1 := round_holds _ 16 _ _ ltac:(lia) T). assert (T2 := round_holds _ 8 _ _ ltac:(lia) T1). assert (T3 := round_holds _ 4 _ _ ltac:(lia) T2).
  assert (T4 := round_holds _ 2 _ _ ltac:(lia) T3). assert (T5 := round_holds _ 1 _ _ ltac:(lia) T4). specialize (T5 0%Z ltac:(lia)). cbv beta in T5.
  replace (S (S (S (S (S m))))) with (m + 5)%nat in T5 by lia. eexists. split; [exact T5|]. intros F phi F0 F1 FA. rewrite <- (lanes_cover F phi (Z.to_nat n) F0 F1). fold t0. cbn [over_lanes]. rewrite !FA. simpl Z.add. simpl Z.of_nat. ring.
Qed.
End Terms.

(* Doubles. *)
Definition double_within (pair : R * R) (terms : list (R * R)) : Prop :=
  match terms with nil => pair = (0, 0) | _ => let (s, c) := pair in known (length terms) 0 s c (exact_sum terms) (sum_of_sizes terms) (length terms) end.
Definition double_after (m : nat) (pair : R * R) (terms : list (R * R)) : Prop := let (s, c) := pair in known 32 m s c (exact_sum terms) (sum_of_sizes terms) (length terms).

Lemma ceil_log2_value (k : Z) : (1 <= k <= 2 ^ 60)%Z -> ceil_log2 k = Z.log2_up k.
Proof.
  intros Hk. unfold ceil_log2. cbv zeta. set (e := Z.log2_up k). assert (E0 : (0 <= e)%Z) by apply Z.log2_up_nonneg.
  assert (E1 : (e <= 60)%Z) by (unfold e; rewrite <- (Z.log2_up_pow2 60) by lia; apply Z.log2_up_le_mono; lia).
  assert (Top : (k <= 2 ^ e)%Z) by (destruct (Z.eq_dec k 1) as [->|N]; [reflexivity | apply Z.log2_up_spec; lia]).
  assert (Low : forall q, (0 <= q < e)%Z -> (2 ^ q < k)%Z).
  { intros q Hq. destruct (Z.eq_dec k 1) as [->|N]; [unfold e in Hq; change (Z.log2_up 1) with 0%Z in Hq; lia|]. assert (S := Z.log2_up_spec k ltac:(lia)). fold e in S.
    eapply Z.le_lt_trans; [|apply S]. apply Z.pow_le_mono_r; lia. }
  enough (G : forall fuel q, (0 <= q <= e)%Z -> (e - q < Z.of_nat fuel)%Z -> loop fuel (fun q => Z.shiftl 1 q <? k)%Z (fun q => q + 1)%Z q = e) by (apply G; lia).
  induction fuel as [|fuel IH]; intros q Hq Hf; [lia|]. cbn [loop]. rewrite Z.shiftl_1_l. destruct (Z.ltb_spec (2 ^ q) k) as [L|L].
  - destruct (Z.eq_dec q e) as [->|N]; [lia|]. apply IH; lia.
  - destruct (Z.eq_dec q e) as [->|N]; [reflexivity|]. specialize (Low q ltac:(lia)). lia.
Qed.

Lemma depth_value (n : Z) : (1 <= n <= 2 ^ 40)%Z -> dot2_depth_dot n = Z.of_nat (32 + (Z.to_nat (Z.log2_up (ceil_div n dot2_dot_block)) + 5)).
Proof.
  intros Hn. change (2 ^ 40)%Z with 1099511627776%Z in Hn. assert (P : (1 <= ceil_div n dot2_dot_block <= 2 ^ 31)%Z).
  { change (2 ^ 31)%Z with 2147483648%Z. unfold ceil_div, dot2_dot_block. rewrite Z.quot_div_nonneg by lia. split; [apply Z.div_le_lower_bound; lia | apply Z.div_le_upper_bound; lia]. }
  assert (L := Z.log2_up_nonneg (ceil_div n dot2_dot_block)). unfold dot2_depth_dot. change (wraps 32 (Z.quot dot2_dot_block dot2_lanes)) with 32%Z. replace (n <=? 0)%Z with false by (symmetry; apply Z.leb_gt; lia).
  cbv zeta. replace (ceil_div n dot2_dot_block >? 0)%Z with true by (symmetry; apply Z.gtb_lt; lia). rewrite !ceil_log2_value by (unfold dot2_lanes; lia). change (Z.log2_up dot2_lanes) with 5%Z.
  rewrite !Nat2Z.inj_add, Z2Nat.id by exact L. simpl (Z.of_nat 32). simpl (Z.of_nat 5). ring.
Qed.

Lemma length_of_all (x y : Z -> R) (n : nat) : length (all_terms x y n) = n.
Proof. induction n as [|n IH]; [reflexivity|]. cbn [all_terms length]. now rewrite IH. Qed.

Lemma same_length (a b : list (R * R)) : INR (length a) = INR (length b) -> length a = length b.
Proof. apply INR_eq. Qed.

Lemma tree_pair (x y : Z -> R) (n : Z) : (forall i, format64 (x i) /\ format64 (y i)) -> (1 <= n <= 2 ^ 40)%Z ->
  let (s, c) := tree_end dot2_combine 0 n (tree_of (fun pair _ i => dot2_step pair (x i, y i)) dot2_combine n 64) in
  exists h, (1 <= h <= 100)%nat /\ IZR (dot2_depth_dot n) = INR h /\
  Rabs (s + c - exact_sum (all_terms x y (Z.to_nat n))) <= gamma h * gamma h * sum_of_magnitudes (all_terms x y (Z.to_nat n)) + 2 * INR (Z.to_nat n) * bpow radix2 (-1074).
Proof.
  intros F Hn. assert (E := end_holds x y (fun pair _ i => dot2_step pair (x i, y i)) dot2_combine double_within double_after). change (2 ^ 40)%Z with 1099511627776%Z in Hn.
  destruct (E ltac:(reflexivity)) with (n := n) as (terms & H & Same).
  - intros pair terms _ i H. destruct (F i) as (Fx & Fy). unfold double_within. destruct terms as [|t ts].
    + rewrite H. assert (S := first_known (x i) (y i) Fx Fy). destruct (dot2_step (0, 0) (x i, y i)) as (s, c). cbn [length]. unfold exact_sum, sum_of_sizes. cbn [fold_right fst snd]. rewrite !Rplus_0_l. exact S.
    + destruct pair as (s, c). assert (S := step_known (length (t :: ts)) s c _ _ (x i) (y i) _ ltac:(cbn [length]; lia) Fx Fy H). destruct (dot2_step (s, c) (x i, y i)) as (s', c'). exact S.
  - intros pair terms H L. unfold double_after. destruct terms as [|t ts].
    + cbn in H. subst pair. exact (zero_known 32 0 ltac:(lia)).
    + destruct pair as (s, c). refine (weaker _ 32 0 0 _ _ _ _ _ _ (le_n 0) H). split; [cbn [length]; lia | exact L].
  - intros m (s1, c1) (s2, c2) a b P Q. unfold double_after in *. assert (H := combine_known 32 m _ _ _ _ _ _ _ _ _ _ ltac:(lia) P Q). destruct (dot2_combine (s1, c1) (s2, c2)) as (s, c).
    now rewrite exact_sum_app, sum_of_sizes_app, app_length, (Nat.add_comm (length b)).
  - intros m m' (s, c) terms Hm H. exact (weaker 32 32 m m' _ _ _ _ _ ltac:(lia) Hm H).
  - change (2 ^ 40)%Z with 1099511627776%Z. exact Hn.
  - destruct (tree_end _ _ _ _) as (s, c). unfold double_after in H.
    rewrite (Same exact_sum (fun t => fst t * snd t)) in H; [|reflexivity | reflexivity | intros; apply exact_sum_app].
    rewrite (Same sum_of_sizes size) in H; [|reflexivity | reflexivity | intros; apply sum_of_sizes_app].
    assert (L : length terms = length (all_terms x y (Z.to_nat n))).
    { apply same_length. apply (Same (fun l => INR (length l)) (fun _ => 1)); [reflexivity | intros; apply S_INR | intros; rewrite app_length, plus_INR; ring]. }
    rewrite L, length_of_all, sum_of_sizes_value, length_of_all in H. rewrite (depth_value n) by (change (2 ^ 40)%Z with 1099511627776%Z; lia). rewrite <- INR_IZR_INZ. set (m := (Z.to_nat _ + 5)%nat) in *.
    assert (M : (m <= 36)%nat).
    { unfold m. assert (Hb : (ceil_div n dot2_dot_block <= 2 ^ 31)%Z) by (change (2 ^ 31)%Z with 2147483648%Z; unfold ceil_div, dot2_dot_block; rewrite Z.quot_div_nonneg by lia; apply Z.div_le_upper_bound; lia).
      apply Z.log2_up_le_mono in Hb. rewrite Z.log2_up_pow2 in Hb by lia. lia. }
    assert (Hh : INR (32 + m) <= 67108864) by (rewrite INR_IZR_INZ; apply IZR_le; lia).
    assert (Ha : 0 <= sum_of_magnitudes (all_terms x y (Z.to_nat n))) by (assert (P := magnitudes_positive (all_terms x y (Z.to_nat n) :: nil)); change (0 <= 0 + sum_of_magnitudes (all_terms x y (Z.to_nat n))) in P; lra).
    exists (32 + m)%nat. split; [lia|]. split; [reflexivity|]. exact (known_bound 32 m _ _ _ _ _ ltac:(lia) Hh H Ha).
Qed.

(* Theorem: the bound of DOT for up to 2^40 elements, for the pair of the whole tree. *)
Theorem dot2_tree_bound (x y : Z -> R) (n : Z) : (forall i, format64 (x i) /\ format64 (y i)) -> (1 <= n <= 2 ^ 40)%Z ->
  let (s, c) := tree_end dot2_combine 0 n (tree_of (fun pair _ i => dot2_step pair (x i, y i)) dot2_combine n 64) in
  within_bound (IZR (dot2_depth_dot n)) n s c (exact_sum (all_terms x y (Z.to_nat n))) (sum_of_magnitudes (all_terms x y (Z.to_nat n))).
Proof.
  intros F Hn. assert (P := tree_pair x y n F Hn). destruct (tree_end _ _ _ _) as (s, c). destruct P as (h & Hh & -> & B). change (2 ^ 40)%Z with 1099511627776%Z in Hn. rewrite <- (Z2Nat.id n) at 1 by lia.
  assert (M := magnitudes_positive (all_terms x y (Z.to_nat n) :: nil)). change (0 <= 0 + sum_of_magnitudes (all_terms x y (Z.to_nat n))) in M. apply promised; auto; try lia; try lra.
  rewrite INR_IZR_INZ. apply IZR_le. lia.
Qed.
