(* Sums fit: those of products of bytes in 32 bits, for every chunk of terms that the code chooses, and those of scaled entries in the moduli of cr (lib/numerics/escalation.hpp). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts ModuliSource Floats Fixed Sums FitSource.

Open Scope R_scope.

(* Theorem: chunks are multiples of the kernels' steps, and not longer than sums of bytes may be: 255 * 128 a term on the CPU in INT32, 255 * 255 on GPUs in 32 bits. *)
Theorem int8_chunks_fit (k : Z) : (0 < k)%Z ->
  let good (step most c : Z) := (0 < c <= most /\ c mod step = 0)%Z in
  (good int8_k_step int8_most_terms (longest_chunk k) /\ (forall c, good int8_k_step int8_most_terms c -> good int8_k_step int8_most_terms (shorter_chunk c)) /\
   forall c, good int8_k_step int8_most_terms c -> (255 * 128 * c <= 2 ^ 31 - 1)%Z) /\
  (forall complex m n usual available, chunk_of_cut complex (fun step half cut => good step product_most_terms cut /\
     forall c, good step product_most_terms c -> good step product_most_terms (half step c)) m n k usual available) /\
  (forall step c, good step product_most_terms c -> (255 * 255 * c < 2 ^ 32)%Z).
Proof.
  intros Hk good. assert (Up : forall step, (0 < step)%Z -> (0 < round_up k step /\ round_up k step mod step = 0)%Z).
  { intros step Hs. unfold round_up, ceil_div. rewrite Z.quot_div_nonneg by lia. split; [|apply Z.mod_mul; lia]. apply Z.mul_pos_pos; [|lia]. apply Z.div_str_pos. lia. }
  assert (Half : forall step most c, (0 < step <= most)%Z -> (good step most c)%Z -> good step most (Z.max (Z.quot (Z.quot c 2) step * step) step)).
  { intros step most c Hs (Hc & _). assert (D1 := Z.quot_rem' c 2). assert (B1 := Z.rem_bound_pos c 2 ltac:(lia) ltac:(lia)). assert (Q1 : (0 <= Z.quot c 2)%Z) by (apply Z.quot_pos; lia).
    assert (D2 := Z.quot_rem' (Z.quot c 2) step). assert (B2 := Z.rem_bound_pos (Z.quot c 2) step Q1 ltac:(lia)). unfold good. split; [lia|].
    destruct (Z.max_spec (Z.quot (Z.quot c 2) step * step) step) as [(_ & ->)|(_ & ->)]; [apply Z.mod_same | apply Z.mod_mul]; lia. }
  split; [|split].
  - split; [|split].
    + destruct (Up int8_k_step ltac:(reflexivity)) as (P & M). unfold longest_chunk, good. change int8_most_terms with 65792%Z in *.
      destruct (Z.min_spec (round_up k int8_k_step) 65792) as [(L & ->)|(L & ->)]; [split; [lia | exact M] | split; [lia | reflexivity]].
    + intros c Hc. apply (Half int8_k_step int8_most_terms c); [split; (reflexivity || discriminate) | exact Hc].
    + intros c (Hc & _). change int8_most_terms with 65792%Z in Hc. lia.
  - intros complex m n usual available. unfold chunk_of_cut, chunk_of_block. set (step := if (Z.b2z complex =? Z.b2z true)%Z then 256%Z else 128%Z).
    assert (Hs : step = 256%Z \/ step = 128%Z) by (unfold step; destruct (_ =? _)%Z; auto). split; [|intros c Hc; apply (Half step product_most_terms c); [unfold product_most_terms; lia | exact Hc]].
    destruct (Up step ltac:(lia)) as (P & M). unfold good, product_most_terms. destruct (Z.min_spec (round_up k step) (Z.quot 65920 step * step)) as [(L & ->)|(L & ->)].
    + split; [|exact M]. destruct Hs as [->| ->]; change (Z.quot 65920 256 * 256)%Z with 65792%Z in L || change (Z.quot 65920 128 * 128)%Z with 65920%Z in L; lia.
    + destruct Hs as [->| ->]; split; try reflexivity; split; (reflexivity || discriminate).
  - intros step c (Hc & _). change product_most_terms with 65920%Z in Hc. lia.
Qed.

(* The norm of a line. *)
Definition norm2 (xs : list R) : R := sqrt (sum_of (fun x => x * x) xs).

Lemma squares_positive (xs : list R) : 0 <= sum_of (fun x => x * x) xs.
Proof. induction xs as [|x xs IH]; unfold sum_of in *; simpl; [lra | nra]. Qed.

Lemma norm2_cons (x : R) (xs : list R) : norm2 (x :: xs) * norm2 (x :: xs) = norm2 xs * norm2 xs + x * x.
Proof.
  unfold norm2. change (sum_of (fun x => x * x) (x :: xs)) with (sum_of (fun x => x * x) xs + x * x). assert (P := squares_positive xs). rewrite !sqrt_sqrt; nra.
Qed.

Lemma norm2_positive (xs : list R) : 0 <= norm2 xs.
Proof. apply sqrt_pos. Qed.

Lemma square_le (a b : R) : 0 <= b -> a * a <= b * b -> a <= b.
Proof. intros Hb H. nra. Qed.

Lemma cauchy (terms : list (R * R)) : Rabs (exact_sum terms) <= norm2 (map fst terms) * norm2 (map snd terms).
Proof.
  induction terms as [|(x, y) terms IH].
  - unfold exact_sum. simpl. rewrite Rabs_R0. apply Rmult_le_pos; apply norm2_positive.
  - change (exact_sum ((x, y) :: terms)) with (exact_sum terms + x * y). cbn [map fst snd]. set (a := norm2 (map fst terms)) in *. set (b := norm2 (map snd terms)) in *.
    assert (A := norm2_cons x (map fst terms)). assert (B := norm2_cons y (map snd terms)). fold a in A. fold b in B. set (a' := norm2 (x :: map fst terms)) in *. set (b' := norm2 (y :: map snd terms)) in *.
    assert (Pa : 0 <= a) by apply norm2_positive. assert (Pb : 0 <= b) by apply norm2_positive. assert (Pa' : 0 <= a') by apply norm2_positive. assert (Pb' : 0 <= b') by apply norm2_positive.
    eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. apply Rle_trans with (a * b + Rabs x * Rabs y); [lra|]. apply square_le; [now apply Rmult_le_pos|].
    replace (a' * b' * (a' * b')) with (a' * a' * (b' * b')) by ring. rewrite A, B. assert (X := Rsqr_abs x). assert (Y := Rsqr_abs y). unfold Rsqr in X, Y. rewrite X, Y. set (u := Rabs x) in *. set (v := Rabs y) in *.
    assert (Q := Rle_0_sqr (a * v - b * u)). unfold Rsqr in Q. lra.
Qed.

Lemma minkowski (n : nat) (xs ys : list R) : length xs = n -> length ys = n -> (forall i, Rabs (nth i ys 0 - nth i xs 0) <= / 2) -> norm2 ys <= norm2 xs + sqrt (INR n) / 2.
Proof.
  revert xs ys. induction n as [|n IH]; intros xs ys Lx Ly H.
  - destruct xs, ys; try discriminate. simpl INR. rewrite sqrt_0. lra.
  - destruct xs as [|x xs], ys as [|y ys]; try discriminate. injection Lx as Lx. injection Ly as Ly. specialize (IH xs ys Lx Ly (fun i => H (S i))). specialize (H 0%nat). cbn [nth] in H.
    rewrite S_INR. assert (A := norm2_cons x xs). assert (B := norm2_cons y ys). set (a := norm2 xs) in *. set (b := norm2 ys) in *. set (a' := norm2 (x :: xs)) in *. set (b' := norm2 (y :: ys)) in *.
    assert (Pa : 0 <= a) by apply norm2_positive. assert (Pb : 0 <= b) by apply norm2_positive. assert (Pa' : 0 <= a') by apply norm2_positive. assert (Pb' : 0 <= b') by apply norm2_positive.
    assert (N0 := pos_INR n). assert (S1 := sqrt_sqrt (INR n) N0). assert (S2 := sqrt_sqrt (INR n + 1) ltac:(lra)). assert (P1 := sqrt_pos (INR n)). assert (P2 := sqrt_pos (INR n + 1)).
    set (s := sqrt (INR n)) in *. set (t := sqrt (INR n + 1)) in *. apply square_le; [lra|]. rewrite B.
    assert (Y : Rabs y <= Rabs x + / 2) by (replace y with (x + (y - x)) by ring; eapply Rle_trans; [apply Rabs_triang | lra]).
    assert (Y2 : y * y <= (Rabs x + / 2) * (Rabs x + / 2)) by (assert (Q := Rsqr_abs y); unfold Rsqr in Q; rewrite Q; apply Rmult_le_compat; try apply Rabs_pos; exact Y).
    assert (X2 := Rsqr_abs x). unfold Rsqr in X2. set (u := Rabs x) in *. assert (U : 0 <= u) by apply Rabs_pos.
    assert (B2 : b * b <= (a + s / 2) * (a + s / 2)) by (apply Rmult_le_compat; lra).
    assert (C : a * s + u <= a' * t).
    { apply square_le; [now apply Rmult_le_pos|]. replace (a' * t * (a' * t)) with (a' * a' * (t * t)) by ring. rewrite A, X2, S2. assert (Q := Rle_0_sqr (a - s * u)). unfold Rsqr in Q. nra. }
    nra.
Qed.

Lemma norm2_scaled (xs : list R) (c : R) : 0 <= c -> norm2 (map (fun x => x * c) xs) = norm2 xs * c.
Proof.
  intros Hc. unfold norm2. replace (sum_of (fun x => x * x) (map (fun x => x * c) xs)) with (sum_of (fun x => x * x) xs * (c * c)).
  - rewrite sqrt_mult by (try apply squares_positive; nra). now rewrite sqrt_square.
  - induction xs as [|x xs IH]; unfold sum_of in *; simpl; [ring|]. rewrite <- IH. ring.
Qed.

(* A line's norm in units of 2^E is at most what the ceilings give. *)
Lemma norm2_ceilings (xs : list R) (E : Z) : norm2 xs * bpow radix2 (- E) <= sqrt (sum_of (fun x => ceiling E x * ceiling E x) xs) * bpow radix2 (-24).
Proof.
  assert (P := bpow_gt_0 radix2 (24 - E)). replace (bpow radix2 (- E)) with (bpow radix2 (24 - E) * bpow radix2 (-24)) by (rewrite <- bpow_plus; f_equal; lia). rewrite <- Rmult_assoc.
  apply Rmult_le_compat_r; [apply bpow_ge_0|]. rewrite <- norm2_scaled by lra. apply sqrt_le_1_alt.
  induction xs as [|x xs IH]; [unfold sum_of; simpl; lra|]. cbn [map]. assert (Cons : forall f y ys, sum_of f (y :: ys) = sum_of f ys + f y) by reflexivity. rewrite !Cons. clear Cons.
  apply Rplus_le_compat; [exact IH|]. unfold ceiling. assert (U := Zceil_ub (Rabs x * bpow radix2 (24 - E))).
  assert (A := Rsqr_abs x). unfold Rsqr in A. assert (Q := Rabs_pos x). replace (x * bpow radix2 (24 - E) * (x * bpow radix2 (24 - E))) with (x * x * (bpow radix2 (24 - E) * bpow radix2 (24 - E))) by ring. rewrite A.
  replace (Rabs x * Rabs x * (bpow radix2 (24 - E) * bpow radix2 (24 - E))) with (Rabs x * bpow radix2 (24 - E) * (Rabs x * bpow radix2 (24 - E))) by ring.
  apply Rmult_le_compat; try exact U; apply Rmult_le_pos; lra.
Qed.

(* The scale of a line to its norm. *)
Lemma relative_norm_value : (1 - u64) * (1 - u64) / (1 + / 2048) <= most_relative_norm <= 1 /\ format64 most_relative_norm.
Proof.
  unfold most_relative_norm. replace (IZR 1 / IZR 2048) with (bpow radix2 (-11)) by (simpl; lra). rewrite one_and_power by lia. replace (1 + bpow radix2 (-11)) with (1 + / 2048) by (simpl; lra).
  assert (C0 : IZR 1 / (1 + / 2048) = 2048 / 2049) by field. assert (N : normal64 <= IZR 1 / (1 + / 2048)) by (rewrite C0; apply Rle_trans with (bpow radix2 (-1)); [unfold normal64; apply bpow_le; lia | simpl; lra]).
  assert (B := rounded_at_least _ (or_intror N)). unfold rd64. split; [split|apply rnd64_format].
  - eapply Rle_trans; [|exact B]. assert (C : forall y, y / (1 + / 2048) = y * (2048 / 2049)) by (intros; field). rewrite !C. unfold u64. lra.
  - assert (One : format64 1) by (change 1 with (bpow radix2 0); apply format64_bpow; lia). apply Rle_trans with (rnd64 1); [apply rnd64_le; rewrite C0; lra | rewrite (rnd64_exact 1 One); lra].
Qed.

Lemma norm_below (norm : R) : bpow radix2 (-1000) <= norm -> norm * bpow radix2 (- norm_exponent norm) <= most_relative_norm.
Proof.
  intros H. assert (P0 := bpow_gt_0 radix2 (-1000)). unfold norm_exponent, exponent_above. rewrite Rlt_bool_true by lra. replace (IZR 1 / IZR 1024) with (bpow radix2 (-10)) by (simpl; lra).
  rewrite one_and_power by lia. replace (1 + bpow radix2 (-10)) with (1 + / 1024) by (simpl; lra). set (v := rd64 (norm * (1 + / 1024))).
  assert (N : normal64 <= norm * (1 + / 1024)) by (apply Rle_trans with (bpow radix2 (-1000)); [unfold normal64; apply bpow_le; lia | lra]). assert (B := rounded_at_least _ (or_intror N)). fold v in B.
  set (g := (mag radix2 v : Z)). assert (G : v < bpow radix2 g) by (eapply Rle_lt_trans; [apply Rle_abs | apply bpow_mag_gt]). assert (Pg := bpow_gt_0 radix2 (- g)). assert (One : bpow radix2 g * bpow radix2 (- g) = 1) by (rewrite <- bpow_plus; now replace (g + - g)%Z with 0%Z by lia).
  assert (X : norm * bpow radix2 (- g) * ((1 + / 1024) * (1 - u64)) < 1).
  { apply Rlt_le_trans with (bpow radix2 g * bpow radix2 (- g)); [|rewrite One; apply Rle_refl].
    replace (norm * bpow radix2 (- g) * ((1 + / 1024) * (1 - u64))) with (lower * (norm * (1 + / 1024)) * bpow radix2 (- g)) by ring.
    apply Rmult_lt_compat_r; [exact Pg | exact (Rle_lt_trans _ _ _ B G)]. }
  destruct relative_norm_value as ((L & _) & _). eapply Rle_trans; [|exact L]. set (z := norm * bpow radix2 (- g)) in *. assert (C : forall y, y / (1 + / 2048) = y * (2048 / 2049)) by (intros; field). rewrite C. unfold u64 in *. lra.
Qed.

Lemma loop_keeps {A} (P : A -> Prop) (n : nat) (test : A -> bool) (step : A -> A) (s : A) : P s -> (forall t, P t -> P (step t)) -> P (loop n test step s).
Proof. revert s. induction n as [|n IH]; intros s H K; simpl; [exact H|]. destruct (test s); [apply IH; auto | exact H]. Qed.

(* The bits of the sides. *)
Lemma split_bits_value (whole k r0 c0 : Z) (part : R) : (0 <= k < 2 ^ 53)%Z -> format64 part -> / 2 <= part -> (0 <= whole <= 400)%Z ->
  let '(row_bits, col_bits, product, most) := split_bits whole part most_relative_norm most_relative_norm k r0 c0 in product <= most ->
  (most_relative_norm * bpow radix2 row_bits + sqrt (IZR k) / 2) * (most_relative_norm * bpow radix2 col_bits + sqrt (IZR k) / 2) <= part * bpow radix2 whole.
Proof.
  intros Hk Fp Hp Hw. unfold split_bits. rewrite (rd64_integer k) by lia. set (moved := rd64 (IZR 1 / IZR 2 * rd64 (sqrt (IZR k)))).
  assert (K0 : k = 0%Z \/ 1 <= sqrt (IZR k)) by (destruct (Z.eq_dec k 0) as [->|N]; [now left | right]; rewrite <- sqrt_1; apply sqrt_le_1_alt, IZR_le; lia).
  assert (B0 : forall z, bpow radix2 (-1) <= z -> normal64 <= z) by (intros z Hz; eapply Rle_trans; [|exact Hz]; unfold normal64; apply bpow_le; lia).
  assert (L := lower_range). assert (Mv : moved = 0 /\ sqrt (IZR k) = 0 \/ / 2 <= moved /\ (1 - u64) * (sqrt (IZR k) / 2) <= moved).
  { unfold moved. replace (IZR 1 / IZR 2) with (bpow radix2 (-1)) by (simpl; lra). destruct K0 as [->|K0].
    - left. rewrite sqrt_0. assert (Z0 : rd64 0 = 0) by apply rnd64_zero. rewrite Z0, Rmult_0_r. now split.
    - right. assert (N : normal64 <= sqrt (IZR k)) by (apply B0; simpl; lra). assert (R1 := rounded_at_least _ (or_intror N)). unfold rd64. set (w := rnd64 (sqrt (IZR k))) in *.
      assert (W1 : 1 <= w) by (unfold w; apply (rnd64_at_least 0); [lia | exact K0]). rewrite Rmult_comm. rewrite rnd64_exact.
      + simpl (bpow radix2 (-1)). lra.
      + apply format64_scaled; [apply rnd64_format|]. right. rewrite Rabs_pos_eq by lra. apply Rle_trans with (bpow radix2 (-1)); [apply bpow_le; lia | simpl; lra]. }
  assert (Fm : format64 moved) by apply rnd64_format. destruct relative_norm_value as ((Rl & Ru) & Fr). assert (R0 : / 2 <= most_relative_norm) by (eapply Rle_trans; [|exact Rl]; unfold u64; lra).
  set (formula := fun r c => rd64 (rd64 (rd64 (most_relative_norm + scale_double moved (- r)) * rd64 (most_relative_norm + scale_double moved (- c))) * rd64 (IZR 1 + IZR 1 / IZR 1099511627776))).
  set (P := fun s : Z * Z * Z * R * R => let '(sum, r, c, product, most) := s in (0 <= sum <= whole + 2)%Z /\ r = Z.quot sum 2 /\ c = (sum - r)%Z /\ product = formula r c /\ most = scale_double part (whole - sum)).
  match goal with |- context [loop 1000 ?t ?b ?s] => assert (I : P s /\ forall x, t x = true -> P x -> P (b x)) end.
  { split; [unfold P; repeat split; try lia; reflexivity|]. intros ((((sum, r), c), product), most) T (S & _). apply andb_prop in T as (T & _). apply Z.gtb_lt in T. unfold P. repeat split; try lia; reflexivity. }
  assert (Keep : forall n s (t : Z * Z * Z * R * R -> bool) b, P s -> (forall x, t x = true -> P x -> P (b x)) -> P (loop n t b s)).
  { intros n. induction n as [|n IH]; intros s t b H K; simpl; [exact H|]. destruct (t s) eqn:T; [apply IH; auto | exact H]. }
  match goal with |- context [loop 1000 ?t ?b ?s] => assert (Q := Keep 1000%nat s t b (proj1 I) (proj2 I)); destruct (loop 1000 t b s) as ((((sum, r), c), product), most) end. clear Keep I.
  destruct Q as (Hs & Hr & Hc & -> & ->). intros Le. assert (Hq : (0 <= r /\ 0 <= c /\ r + c = sum)%Z).
  { assert (D := Z.quot_rem' sum 2). assert (B := Z.rem_bound_pos sum 2 ltac:(lia) ltac:(lia)). lia. }
  assert (Ms : scale_double part (whole - sum) = part * bpow radix2 (whole - sum)).
  { unfold scale_double. apply rnd64_exact, format64_scaled; [exact Fp|]. right. rewrite Rabs_pos_eq by lra. assert (Pw := bpow_gt_0 radix2 (whole - sum)). apply Rle_trans with (bpow radix2 (-1) * bpow radix2 (whole - sum)); [rewrite <- bpow_plus; apply bpow_le; lia | apply Rmult_le_compat_r; simpl; lra]. }
  rewrite Ms in Le. assert (Mb : forall b, (0 <= b <= 402)%Z -> scale_double moved (- b) = moved * bpow radix2 (- b) /\ format64 (moved * bpow radix2 (- b)) /\ 0 <= moved * bpow radix2 (- b)).
  { intros b Hb. assert (Pb := bpow_gt_0 radix2 (- b)). assert (F : format64 (moved * bpow radix2 (- b))).
    { apply format64_scaled; [exact Fm|]. destruct Mv as [(-> & _)|(M2 & _)]; [now left | right]. rewrite Rabs_pos_eq by lra. apply Rle_trans with (bpow radix2 (-1) * bpow radix2 (- b)); [rewrite <- bpow_plus; apply bpow_le; lia|].
      apply Rmult_le_compat_r; [lra | simpl; lra]. }
    split; [now apply rnd64_exact | split; [exact F | apply Rmult_le_pos; lra]]. }
  destruct (Mb r ltac:(lia)) as (E1 & F1 & P1). destruct (Mb c ltac:(lia)) as (E2 & F2 & P2). unfold formula in Le. rewrite E1, E2 in Le. clear formula P E1 E2 Mb.
  replace (IZR 1 / IZR 1099511627776) with (bpow radix2 (-40)) in Le by (simpl; lra). rewrite one_and_power in Le by lia. replace (1 + bpow radix2 (-40)) with (1 + / 1099511627776) in Le by (simpl; lra).
  assert (S1 := sum_at_least _ _ Fr F1 ltac:(lra)). assert (S2 := sum_at_least _ _ Fr F2 ltac:(lra)). unfold rd64 in Le. set (x := rnd64 (most_relative_norm + moved * bpow radix2 (- r))) in *. set (y := rnd64 (most_relative_norm + moved * bpow radix2 (- c))) in *.
  set (X := most_relative_norm + moved * bpow radix2 (- r)) in *. set (Y := most_relative_norm + moved * bpow radix2 (- c)) in *.
  assert (Xh : / 2 <= X) by (unfold X; lra). assert (Yh : / 2 <= Y) by (unfold Y; lra). assert (Hu : u64 <= / 4) by (unfold u64; lra). assert (Lu : 3 / 4 <= lower) by lra.
  assert (xl : 3 / 8 <= x) by (eapply Rle_trans; [|exact S1]; apply Rle_trans with (3 / 4 * / 2); [lra | apply Rmult_le_compat; lra]).
  assert (yl : 3 / 8 <= y) by (eapply Rle_trans; [|exact S2]; apply Rle_trans with (3 / 4 * / 2); [lra | apply Rmult_le_compat; lra]).
  assert (xyl : 9 / 64 <= x * y) by (apply Rle_trans with (3 / 8 * (3 / 8)); [lra | apply Rmult_le_compat; lra]).
  assert (N1 : normal64 <= x * y) by (apply Rle_trans with (bpow radix2 (-4)); [unfold normal64; apply bpow_le; lia | simpl; lra]). assert (A1 := rounded_at_least _ (or_intror N1)). set (p := rnd64 (x * y)) in *.
  assert (pl : / 16 <= p) by (eapply Rle_trans; [|exact A1]; apply Rle_trans with (3 / 4 * (9 / 64)); [lra | apply Rmult_le_compat; lra]). assert (N2 : normal64 <= p * (1 + / 1099511627776)) by (apply Rle_trans with (bpow radix2 (-4)); [unfold normal64; apply bpow_le; lia | simpl; lra]).
  assert (A2 := rounded_at_least _ (or_intror N2)). set (q := rnd64 (p * (1 + / 1099511627776))) in *.
  (* the roundings, and that of moved, are paid *)
  set (m := sqrt (IZR k) / 2). set (X' := most_relative_norm + m * bpow radix2 (- r)). set (Y' := most_relative_norm + m * bpow radix2 (- c)).
  assert (Pr := bpow_gt_0 radix2 (- r)). assert (Pc := bpow_gt_0 radix2 (- c)). assert (m0 : 0 <= m) by (unfold m; assert (Z0 := sqrt_pos (IZR k)); lra).
  assert (mm : (1 - u64) * m <= moved) by (unfold m; destruct Mv as [(-> & ->)|(_ & M2)]; lra).
  assert (XX : (1 - u64) * X' <= X) by (unfold X, X'; assert ((1 - u64) * m * bpow radix2 (- r) <= moved * bpow radix2 (- r)) by (apply Rmult_le_compat_r; lra); unfold u64 in *; lra).
  assert (YY : (1 - u64) * Y' <= Y) by (unfold Y, Y'; assert ((1 - u64) * m * bpow radix2 (- c) <= moved * bpow radix2 (- c)) by (apply Rmult_le_compat_r; lra); unfold u64 in *; lra).
  assert (X0 : 0 <= X') by (unfold X'; assert (0 <= m * bpow radix2 (- r)) by (apply Rmult_le_pos; lra); lra). assert (Y0 : 0 <= Y') by (unfold Y'; assert (0 <= m * bpow radix2 (- c)) by (apply Rmult_le_pos; lra); lra).
  assert (xX : (1 - u64) * (1 - u64) * X' <= x) by (eapply Rle_trans; [|exact S1]; rewrite Rmult_assoc; apply Rmult_le_compat_l; lra). assert (yY : (1 - u64) * (1 - u64) * Y' <= y) by (eapply Rle_trans; [|exact S2]; rewrite Rmult_assoc; apply Rmult_le_compat_l; lra).
  assert (L2 : 0 <= (1 - u64) * (1 - u64)) by (apply Rmult_le_pos; lra). assert (xy : (1 - u64) * (1 - u64) * X' * ((1 - u64) * (1 - u64) * Y') <= x * y) by (apply Rmult_le_compat; try assumption; apply Rmult_le_pos; assumption).
  assert (pq : (1 - u64) * ((1 - u64) * (x * y) * (1 + / 1099511627776)) <= q) by (eapply Rle_trans; [|exact A2]; apply Rmult_le_compat_l; [lra|]; apply Rmult_le_compat_r; lra).
  assert (Fin : X' * Y' <= q).
  { eapply Rle_trans; [|exact pq]. assert (XY : 0 <= X' * Y') by now apply Rmult_le_pos. assert (c1 : 0 <= (1 - u64) * (1 - u64) * (1 + / 1099511627776)) by (apply Rmult_le_pos; [exact L2 | lra]).
    assert (Step := Rmult_le_compat_l _ _ _ c1 xy). apply Rle_trans with ((1 - u64) * (1 - u64) * (1 + / 1099511627776) * ((1 - u64) * (1 - u64) * X' * ((1 - u64) * (1 - u64) * Y'))); [|lra].
    replace ((1 - u64) * (1 - u64) * (1 + / 1099511627776) * ((1 - u64) * (1 - u64) * X' * ((1 - u64) * (1 - u64) * Y'))) with ((1 - u64) * (1 - u64) * (1 - u64) * (1 - u64) * (1 - u64) * (1 - u64) * (1 + / 1099511627776) * (X' * Y')) by ring.
    rewrite <- (Rmult_1_l (X' * Y')) at 1. apply Rmult_le_compat_r; [exact XY | unfold u64; lra]. }
  assert (End : X' * Y' * bpow radix2 sum <= part * bpow radix2 (whole - sum) * bpow radix2 sum) by (apply Rmult_le_compat_r; [apply bpow_ge_0 | lra]).
  rewrite (Rmult_assoc part), <- bpow_plus in End. replace (whole - sum + sum)%Z with whole in End by lia. eapply Rle_trans; [|exact End]. right.
  destruct Hq as (_ & _ & <-). unfold X', Y'. fold m. rewrite bpow_plus. assert (O1 : bpow radix2 (- r) * bpow radix2 r = 1) by (rewrite <- bpow_plus; now replace (- r + r)%Z with 0%Z by lia). assert (O2 : bpow radix2 (- c) * bpow radix2 c = 1) by (rewrite <- bpow_plus; now replace (- c + c)%Z with 0%Z by lia).
  replace ((most_relative_norm + m * bpow radix2 (- r)) * (most_relative_norm + m * bpow radix2 (- c)) * (bpow radix2 r * bpow radix2 c))
    with ((most_relative_norm * bpow radix2 r + m * (bpow radix2 (- r) * bpow radix2 r)) * (most_relative_norm * bpow radix2 c + m * (bpow radix2 (- c) * bpow radix2 c))) by ring.
  rewrite O1, O2. ring.
Qed.

(* A scaled and rounded line. *)
Lemma line_norm (xs : list R) (norm : R) (E bits k : Z) : (Z.of_nat (length xs) <= k)%Z -> sqrt (sum_of (fun x => ceiling E x * ceiling E x) xs) * bpow radix2 (-24) <= norm ->
  bpow radix2 (-1000) <= norm \/ (norm <= 0 /\ Forall (fun x => x = 0) xs) ->
  norm2 (map (fun x => IZR (nearest 0 (- line_scale norm E bits true) x)) xs) <= most_relative_norm * bpow radix2 bits + sqrt (IZR k) / 2.
Proof.
  intros Hl Hn Hc. set (s := line_scale norm E bits true). destruct relative_norm_value as ((Rl & _) & _). assert (R0 : 0 <= most_relative_norm) by (eapply Rle_trans; [|exact Rl]; unfold u64; lra).
  assert (Near : norm2 (map (fun x => IZR (nearest 0 (- s) x)) xs) <= norm2 (map (fun x => x * bpow radix2 s) xs) + sqrt (INR (length xs)) / 2).
  { apply minkowski; [now rewrite map_length | now rewrite map_length|]. intros i. destruct (Nat.lt_ge_cases i (length xs)) as [Hi|Hi].
    - rewrite (nth_indep _ 0 (IZR (nearest 0 (- s) 0))) by (now rewrite map_length). rewrite (map_nth (fun x => IZR (nearest 0 (- s) x))). rewrite (nth_indep (map (fun x => x * bpow radix2 s) xs) 0 (0 * bpow radix2 s)) by (now rewrite map_length).
      rewrite (map_nth (fun x => x * bpow radix2 s)). set (x := nth i xs 0). assert (Q := nearest_error 0 (- s) x). unfold scaled in Q. now replace (0 - - s)%Z with s in Q by lia.
    - rewrite !nth_overflow by (now rewrite map_length). unfold Rminus. rewrite Rplus_opp_r, Rabs_R0. lra. }
  eapply Rle_trans; [exact Near|]. apply Rplus_le_compat.
  - rewrite norm2_scaled by apply bpow_ge_0. destruct Hc as [Hc|(_ & Z0)].
    + assert (P0 := bpow_gt_0 radix2 (-1000)). unfold s, line_scale. rewrite Rlt_bool_true by lra. cbn [negb].
      replace (bpow radix2 (bits - norm_exponent norm - E)) with (bpow radix2 (- E) * bpow radix2 (- norm_exponent norm) * bpow radix2 bits) by (rewrite <- !bpow_plus; f_equal; lia).
      rewrite <- !Rmult_assoc. apply Rmult_le_compat_r; [apply bpow_ge_0|]. apply Rle_trans with (norm * bpow radix2 (- norm_exponent norm)); [|now apply norm_below].
      apply Rmult_le_compat_r; [apply bpow_ge_0|]. eapply Rle_trans; [apply norm2_ceilings | exact Hn].
    + assert (N0 : norm2 xs = 0).
      { clear - Z0. unfold norm2. replace (sum_of (fun x => x * x) xs) with 0; [apply sqrt_0|]. induction Z0 as [|x l Hx _ IH]; [reflexivity|]. unfold sum_of in *. simpl. rewrite <- IH, Hx. ring. }
      rewrite N0, Rmult_0_l. apply Rmult_le_pos; [exact R0 | apply bpow_ge_0].
  - assert (N : INR (length xs) <= IZR k) by (rewrite INR_IZR_INZ; apply IZR_le; lia). assert (Q := sqrt_le_1_alt _ _ N). lra.
Qed.

(* Theorem: if split_bits ends with a product within the capacity, every sum of rounded entries, scaled to its bits, is at most part 2^whole in magnitude. *)
Theorem cr_sums_fit (terms : list (R * R)) (norm_a norm_b part : R) (E F k whole r0 c0 : Z) : (Z.of_nat (length terms) <= k < 2 ^ 53)%Z -> format64 part -> / 2 <= part -> (0 <= whole <= 400)%Z ->
  sqrt (sum_of (fun x => ceiling E x * ceiling E x) (map fst terms)) * bpow radix2 (-24) <= norm_a -> bpow radix2 (-1000) <= norm_a \/ (norm_a <= 0 /\ Forall (fun x => x = 0) (map fst terms)) ->
  sqrt (sum_of (fun x => ceiling F x * ceiling F x) (map snd terms)) * bpow radix2 (-24) <= norm_b -> bpow radix2 (-1000) <= norm_b \/ (norm_b <= 0 /\ Forall (fun x => x = 0) (map snd terms)) ->
  let '(row_bits, col_bits, product, most) := split_bits whole part most_relative_norm most_relative_norm k r0 c0 in product <= most ->
  Rabs (IZR (integer_sum 0 (- line_scale norm_a E row_bits true) (- line_scale norm_b F col_bits true) terms)) <= part * bpow radix2 whole.
Proof.
  intros Hk Fp Hp Hw Na Ca Nb Cb. assert (V := split_bits_value whole k r0 c0 part ltac:(lia) Fp Hp Hw). destruct (split_bits whole part most_relative_norm most_relative_norm k r0 c0) as (((rb, cb), product), most).
  intros Le. specialize (V Le). eapply Rle_trans; [|exact V]. set (sa := line_scale norm_a E rb true). set (sb := line_scale norm_b F cb true).
  set (f := fun t : R * R => (IZR (nearest 0 (- sa) (fst t)), IZR (nearest 0 (- sb) (snd t)))).
  assert (Es : IZR (integer_sum 0 (- sa) (- sb) terms) = exact_sum (map f terms)).
  { clear. induction terms as [|t terms IH]; [reflexivity|]. cbn [map]. change (exact_sum (f t :: map f terms)) with (exact_sum (map f terms) + fst (f t) * snd (f t)).
    change (integer_sum 0 (- sa) (- sb) (t :: terms)) with (integer_sum 0 (- sa) (- sb) terms + nearest 0 (- sa) (fst t) * nearest 0 (- sb) (snd t))%Z. rewrite plus_IZR, mult_IZR, IH. reflexivity. }
  rewrite Es. eapply Rle_trans; [apply cauchy|]. rewrite !map_map. cbn [fst snd f].
  assert (A := line_norm (map fst terms) norm_a E rb k ltac:(rewrite map_length; lia) Na Ca). assert (B := line_norm (map snd terms) norm_b F cb k ltac:(rewrite map_length; lia) Nb Cb). rewrite map_map in A, B. fold sa in A. fold sb in B.
  apply Rmult_le_compat; try apply norm2_positive; assumption.
Qed.

(* What is assumed of the C library's exp2. *)
Definition exp2_near (exp2 : R -> R) : Prop := forall x, 0 <= x <= 1 -> format64 (exp2 x) /\ Rabs (exp2 x - Rpower 2 x) <= Rpower 2 x * bpow radix2 (-45).

Lemma rest_format (x : R) : format64 x -> 0 <= x -> format64 (x - IZR (Zfloor x)).
Proof.
  intros Fx Px. assert (L := Zfloor_lb x). assert (U := Zfloor_ub x). assert (F0 : (0 <= Zfloor x)%Z) by (apply Zfloor_lub; exact Px). apply FLT_format_generic in Fx; [|reflexivity]. destruct Fx as [(m, e) Ex Hm He]. cbn [Fnum Fexp] in *.
  assert (Px' := Px). assert (Ex' := Ex). unfold F2R in Ex. cbn [Fnum Fexp] in Ex. destruct (Z.le_gt_cases 0 e) as [Ze|Ze].
  - assert (Ei : x = IZR (m * 2 ^ e)) by (rewrite mult_IZR, (IZR_Zpower radix2) by exact Ze; exact Ex). rewrite Ei, Zfloor_IZR, Rminus_diag_eq by reflexivity. apply generic_format_0.
  - assert (One : bpow radix2 (- e) * bpow radix2 e = 1) by (rewrite <- bpow_plus; now replace (- e + e)%Z with 0%Z by lia).
    assert (Ed : x - IZR (Zfloor x) = IZR (m - Zfloor x * 2 ^ (- e)) * bpow radix2 e).
    { rewrite minus_IZR, mult_IZR, (IZR_Zpower radix2) by lia. rewrite Rmult_minus_distr_r, Rmult_assoc, One, Rmult_1_r. rewrite Ex at 1. reflexivity. }
    assert (Pe := bpow_gt_0 radix2 e). assert (M0 : (0 <= m)%Z) by (apply le_IZR; apply Rmult_le_reg_r with (bpow radix2 e); lra).
    assert (D0 : (0 <= m - Zfloor x * 2 ^ (- e))%Z) by (apply le_IZR; apply Rmult_le_reg_r with (bpow radix2 e); lra).
    assert (P2 : (0 < 2 ^ (- e))%Z) by (apply Z.pow_pos_nonneg; lia).
    apply generic_format_FLT. exists (Float radix2 (m - Zfloor x * 2 ^ (- e)) e); [exact Ed | cbn [Fnum]; nia | exact He].
Qed.

Lemma power_integer (n : Z) : Rpower 2 (IZR n) = bpow radix2 n.
Proof. rewrite <- powerRZ_Rpower by lra. now rewrite bpow_powerRZ. Qed.

(* Theorem: what capacity_of makes of a logarithm is at most the number, and what cr_sums_fit asks for. *)
Theorem capacity_of_right (exp2 : R -> R) (l B : R) : exp2_near exp2 -> format64 l -> 0 <= l <= 400 -> 0 < B -> l <= ln B / ln 2 ->
  let (whole, part) := capacity_of exp2 l in format64 part /\ / 2 <= part /\ (0 <= whole <= 400)%Z /\ part * bpow radix2 whole <= B.
Proof.
  intros Near Fl Hl HB Le. unfold capacity_of, floor_double. cbv zeta. rewrite Ztrunc_IZR. set (w := Zfloor l). assert (L := Zfloor_lb l). assert (U := Zfloor_ub l). fold w in L, U.
  assert (W : (0 <= w <= 400)%Z) by (split; [apply Zfloor_lub; lra | apply le_IZR; lra]).
  rewrite (rnd64_exact _ (rest_format l Fl (proj1 Hl)) : rd64 (l - IZR w) = l - IZR w). destruct (Near (l - IZR w) ltac:(lra)) as (Fe & E). set (t := Rpower 2 (l - IZR w)) in *. set (x := exp2 (l - IZR w)) in *.
  assert (Em : rd64 (IZR 1 - IZR 1 / IZR 1099511627776) = 1 - / 1099511627776).
  { replace (IZR 1 - IZR 1 / IZR 1099511627776) with (1 - / 1099511627776) by lra. apply rnd64_exact. replace (1 - / 1099511627776) with (F2R (Float radix2 1099511627775 (-40))) by (unfold F2R; simpl; lra). apply generic_format_FLT. exists (Float radix2 1099511627775 (-40)); [reflexivity | simpl; lia | simpl; lia]. }
  rewrite Em. assert (T : 1 <= t) by (unfold t, Rpower; rewrite <- exp_0; destruct (Req_dec (l - IZR w) 0) as [->|N]; [rewrite Rmult_0_l; apply Rle_refl | left; apply exp_increasing; apply Rmult_lt_0_compat; [lra | rewrite <- ln_1; apply ln_increasing; lra]]).
  change (bpow radix2 (-45)) with (/ IZR (2 ^ 45)) in E. change (2 ^ 45)%Z with 35184372088832%Z in E. split_abs E.
  assert (X : / 2 <= x * (1 - / 1099511627776)) by lra. assert (N : normal64 <= Rabs (x * (1 - / 1099511627776))).
  { rewrite Rabs_pos_eq by lra. apply Rle_trans with (bpow radix2 (-1)); [unfold normal64; apply bpow_le; lia | simpl; lra]. }
  assert (B1 := rnd64_normal _ N). rewrite (Rabs_pos_eq (x * _)) in B1 by lra. change (rnd64 (x * (1 - / 1099511627776))) with (rd64 (x * (1 - / 1099511627776))) in B1. split_abs B1.
  split; [apply rnd64_format|]. split; [apply (rnd64_at_least (-1)); [lia | simpl; lra]|]. split; [exact W|].
  assert (Lt : rd64 (x * (1 - / 1099511627776)) <= t) by (unfold u64 in *; lra). apply Rle_trans with (t * bpow radix2 w); [apply Rmult_le_compat_r; [apply bpow_ge_0 | exact Lt]|].
  rewrite <- power_integer. unfold t. rewrite <- Rpower_plus. replace (l - IZR w + IZR w) with l by ring. assert (P2 : 0 < ln 2) by (rewrite <- ln_1; apply ln_increasing; lra).
  unfold Rpower. rewrite <- (exp_ln B HB). assert (C : l * ln 2 <= ln B) by (apply Rmult_le_reg_r with (/ ln 2); [now apply Rinv_0_lt_compat|]; rewrite Rmult_assoc, Rinv_r, Rmult_1_r by lra; exact Le).
  destruct C as [C| ->]; [left; now apply exp_increasing | apply Rle_refl].
Qed.
