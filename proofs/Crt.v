(** The Chinese remainder theorem with the planes that the code uses. *)
From Coq Require Import ZArith Reals Lia Lra Bool List.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts ModuliSource Moduli Division Tables CrtSource Reconstruction.
Open Scope Z_scope.

Lemma fraction_exact : forall w p inverse P, 0 < p <= 256 -> 0 < P -> Z.abs inverse <= 256 -> w * p = inverse * P ->
  crt_fraction inverse p 0 (fun _ => 0%R) 0 = rd64 (IZR w / IZR P).
Proof.
  intros w p inverse P small positive inverse_small equal. unfold crt_fraction, update. cbv zeta. simpl.
  rewrite !rd64_integer by lia. f_equal.
  assert (p_positive : (0 < IZR p)%R) by (apply IZR_lt; lia). assert (P_positive_ : (0 < IZR P)%R) by (apply IZR_lt; lia).
  apply (f_equal IZR) in equal. rewrite !mult_IZR in equal.
  apply Rmult_eq_reg_r with (IZR p * IZR P)%R; [| nra].
  replace (IZR inverse / IZR p * (IZR p * IZR P))%R with (IZR inverse * IZR P)%R by (field; lra).
  replace (IZR w / IZR P * (IZR p * IZR P))%R with (IZR w * IZR p)%R by (field; lra). lra.
Qed.

(** The code passes a table with rounded fractions to crt_reconstruct. *)
Definition reconstruct_planes (L : Z) (plane : Z -> Z * Z * bool) (count : Z) (residues : Z -> Z) (stride : Z) : Z :=
  let '(product, weight, fraction) := crt_table plane count (fun _ => 0) (fun _ => (0, 0)) in
  crt_reconstruct L count product weight (fun l => crt_fraction (fst (fraction l)) (snd (fraction l)) 0 (fun _ => 0%R) 0) residues stride.

(** The planes' residues are those of s: modulo each p, s is the sum over the planes of p of factor times residue. *)
Definition residues_of (plane : Z -> Z * Z * bool) (count : Z) (r : Z -> Z) (s : Z) : Prop :=
  forall j, 0 <= j < count -> snd (plane j) = true ->
  (fst3 (plane j) | sum_below count (fun l => if fst3 (plane l) =? fst3 (plane j) then snd (fst (plane l)) * r l else 0) - s).

Lemma reconstruct_planes_right : forall L plane count residues stride s, planes_fit plane count -> 1 <= L <= crt_limbs ->
  (forall l, 0 <= l < count -> Z.abs (residues (l * stride)) <= 255) -> residues_of plane count (fun l => residues (l * stride)) s ->
  (Rabs (IZR s) <= IZR (product_of plane count) / 2 / crt_margin)%R -> reconstruct_planes L plane count residues stride = wrap (64 * L) s.
Proof.
  intros L plane count residues stride s fit limbs small congruent capacity. unfold reconstruct_planes.
  pose proof (crt_table_right plane count fit) as table.
  destruct (crt_table plane count (fun _ => 0) (fun _ => (0, 0))) as [[product weight] fraction]. destruct table as [is_product is_weight].
  pose proof fit as [counts [range [_ [_ room]]]].
  pose proof (product_positive plane count fit count ltac:(lia)) as positive.
  apply reconstructed with (P := product_of plane count) (W := weight_of plane count).
  - exact limbs.
  - unfold max_planes in counts. lia.
  - lia.
  - exact small.
  - intros l lrange. apply (weight_facts plane count fit l lrange).
  - intros l lrange. apply is_weight. exact lrange.
  - exact is_product.
  - intros l lrange. destruct (is_weight l lrange) as [_ value]. rewrite value. cbn [fst snd].
    destruct (weight_facts plane count fit l lrange) as [equal [inverse_small _]]. pose proof (range l lrange) as p_small.
    apply fraction_exact; [lia | lia | lia | exact equal].
  - apply (product_divides plane count fit). intros j jrange jfirst.
    apply divides_trans_sum with (b := sum_below count (fun l => if fst3 (plane l) =? fst3 (plane j) then snd (fst (plane l)) * residues (l * stride) else 0)).
    + apply sums_divide; [lia |]. intros l lrange.
      destruct (weight_facts plane count fit l lrange) as [_ [_ [_ [own others]]]].
      destruct (Z.eqb_spec (fst3 (plane l)) (fst3 (plane j))) as [same | other].
      * rewrite <- same. replace (residues (l * stride) * weight_of plane count l - snd (fst (plane l)) * residues (l * stride))
          with ((weight_of plane count l - snd (fst (plane l))) * residues (l * stride)) by ring.
        apply Z.divide_mul_l. exact own.
      * rewrite Z.sub_0_r. apply Z.divide_mul_r. apply others; [exact jrange | exact jfirst |]. intros e. apply other. symmetry. exact e.
    + apply congruent; assumption.
  - exact capacity.
Qed.

(** The planes that the code uses. *)
Definition fit_check (plane : Z -> Z * Z * bool) (n : Z) : bool :=
  forallb (fun l => let '(p, _, first) := plane l in (1 <? p) && (p <=? 256) && existsb (fun j => snd (plane j) && (fst3 (plane j) =? p)) (below (l + 1)) &&
    (negb first || forallb (fun j => let '(q, _, other) := plane j in negb other || (l =? j) || (Z.gcd p q =? 1)) (below n))) (below n)
  && forallb (fun c => product_of plane c <? 2 ^ (64 * crt_limbs - 1)) (below (n + 1)).

Lemma product_same : forall plane other n, (forall l, 0 <= l < n -> other l = plane l) -> product_of other n = product_of plane n.
Proof.
  intros plane other n. unfold product_of. intros same.
  assert (all : forall m, (m <= Z.to_nat n)%nat -> product_n other m = product_n plane m).
  { induction m as [|m IH]; intros less; [reflexivity |]. cbn [product_n]. rewrite same by lia. rewrite IH by lia. reflexivity. }
  apply all. lia.
Qed.

Lemma fit_prefix : forall plane other n c, fit_check plane n = true -> 0 <= c <= n -> n <= max_planes -> (forall l, 0 <= l < c -> other l = plane l) -> planes_fit other c.
Proof.
  intros plane other n c checked crange most same. unfold fit_check in checked. apply andb_prop in checked. destruct checked as [each products].
  pose proof (below_all n _ each) as at_. pose proof (below_all (n + 1) _ products c ltac:(lia)) as product_small. cbv beta in at_, product_small.
  split; [lia |]. split; [| split; [| split]].
  - intros l range. rewrite same by exact range. pose proof (at_ l ltac:(lia)) as here. destruct (plane l) as [[p f] b]. unfold fst3. cbn [fst].
    apply andb_prop in here. destruct here as [here _]. apply andb_prop in here. destruct here as [here _]. lia.
  - intros i j irange jrange ifirst jfirst differ. rewrite !same in * by assumption. pose proof (at_ i ltac:(lia)) as here.
    destruct (plane i) as [[p f] b]. cbn [snd] in ifirst. subst b. apply andb_prop in here. destruct here as [_ here]. cbn [negb orb] in here.
    pose proof (below_all n _ here j ltac:(lia)) as there. cbv beta in there. destruct (plane j) as [[q g] b]. cbn [snd] in jfirst. subst b.
    unfold fst3. cbn [fst negb orb] in *. lia.
  - intros l range. pose proof (at_ l ltac:(lia)) as here. destruct (plane l) as [[p f] b] eqn:value.
    apply andb_prop in here. destruct here as [here _]. apply andb_prop in here. destruct here as [_ here].
    apply existsb_exists in here. destruct here as [j [inside good]]. apply andb_prop in good. destruct good as [first equal].
    unfold below in inside. apply in_map_iff in inside. destruct inside as [k [is_j kin]]. apply in_seq in kin.
    exists j. split; [lia |]. rewrite !same by lia. split; [exact first |]. rewrite value. unfold fst3 at 2. cbn [fst]. lia.
  - rewrite (product_same plane other c same). lia.
Qed.

(** A loop that fills an array makes the same elements whatever its end. *)
Lemma prefix_same : forall {A} (body : Z -> (Z -> A) -> Z -> A) d n m, (forall h f k, k <> h -> body h f k = f k) -> (forall h f g, body h f h = body h g h) ->
  0 <= n <= m -> forall l, 0 <= l < n -> for_up 0 n body d l = for_up 0 m body d l.
Proof.
  intros A body d n m keeps own order l range.
  assert (value : forall e, l < e -> 0 <= e -> for_up 0 e body d l = body l d l).
  { intros e less pos. apply (for_up_invariant (fun k f => l < k -> f l = body l d l) body 0 e d pos); [lia | | exact less].
    intros k f krange before lk. destruct (Z.eq_dec l k) as [same | other]; [subst k; apply own |].
    rewrite keeps by exact other. apply before. lia. }
  rewrite !value by lia. reflexivity.
Qed.

Lemma real_planes_same : forall c l, 0 <= c <= max_moduli -> 0 <= l < c -> real_planes c l = real_planes max_moduli l.
Proof.
  intros c l crange range. unfold real_planes. cbv zeta. apply prefix_same with (n := c) (m := max_moduli); [| | lia | exact range].
  - intros h f k other. unfold update. destruct (Z.eqb_spec k h); [contradiction | reflexivity].
  - intros h f g. unfold update. rewrite Z.eqb_refl. reflexivity.
Qed.

Lemma real_fit : forall count, 1 <= count <= max_moduli -> planes_fit (real_planes count) count.
Proof.
  intros count range. apply fit_prefix with (plane := real_planes max_moduli) (n := max_moduli).
  - vm_compute. reflexivity.
  - lia.
  - unfold max_moduli, max_planes. lia.
  - intros l lrange. apply real_planes_same; lia.
Qed.

Lemma complex_planes_most : forall count, 1 <= count <= complex_moduli -> 0 <= complex_planes count <= max_planes.
Proof. intros count range. unfold complex_planes, complex_moduli, max_planes, split_moduli in *. destruct (Z.leb_spec count 20); lia. Qed.

Lemma component_planes_same : forall c imaginary l, 1 <= c <= complex_moduli -> 0 <= l < complex_planes c ->
  component_planes c imaginary l = component_planes complex_moduli imaginary l.
Proof.
  intros c imaginary l crange range. unfold component_planes. cbv zeta.
  apply prefix_same with (n := complex_planes c) (m := complex_planes complex_moduli).
  - intros h f k other. destruct (complex_moduli_list (fst3 (complex_plane h))) as [p root]. unfold update. destruct (Z.eqb_spec k h); [contradiction | reflexivity].
  - intros h f g. destruct (complex_moduli_list (fst3 (complex_plane h))) as [p root]. unfold update. rewrite Z.eqb_refl. reflexivity.
  - pose proof (complex_planes_most c crange) as most. change (complex_planes complex_moduli) with max_planes. exact most.
  - exact range.
Qed.

Lemma complex_fit : forall count imaginary, 1 <= count <= complex_moduli -> planes_fit (component_planes count imaginary) (complex_planes count).
Proof.
  intros count imaginary range. apply fit_prefix with (plane := component_planes complex_moduli imaginary) (n := max_planes).
  - destruct imaginary; vm_compute; reflexivity.
  - apply complex_planes_most. exact range.
  - lia.
  - intros l lrange. apply component_planes_same; assumption.
Qed.

Lemma sum_single : forall n j (c : Z -> bool) f, 0 <= j < n -> c j = true -> (forall l, 0 <= l < n -> l <> j -> c l = false) ->
  sum_below n (fun l => if c l then f l else 0) = f j.
Proof.
  intros n j c f jrange cj others.
  assert (all : forall m, 0 <= m -> m <= n -> sum_below m (fun l => if c l then f l else 0) = if j <? m then f j else 0).
  { intros m pos. rewrite <- (Z2Nat.id m pos). generalize (Z.to_nat m). clear m pos. intros m. induction m as [|m IH]; intros less.
    - destruct (Z.ltb_spec j (Z.of_nat 0)); [lia | reflexivity].
    - replace (Z.of_nat (S m)) with (Z.of_nat m + 1) in * by lia. rewrite sum_below_next by lia. rewrite IH by lia.
      destruct (Z.eq_dec (Z.of_nat m) j) as [same | other].
      + rewrite same, cj. destruct (Z.ltb_spec j j); [lia |]. destruct (Z.ltb_spec j (j + 1)); lia.
      + rewrite others by lia. destruct (Z.ltb_spec j (Z.of_nat m)); destruct (Z.ltb_spec j (Z.of_nat m + 1)); lia. }
  rewrite all by lia. destruct (Z.ltb_spec j n); lia.
Qed.

Lemma real_plane_value : forall count l, 0 <= l < count -> real_planes count l = (moduli_list l, 1, true).
Proof.
  intros count l range. unfold real_planes. cbv zeta.
  apply (for_up_invariant (fun k f => l < k -> f l = (moduli_list l, 1, true)) _ 0 count); [lia | intros none; exfalso; lia | | lia].
  intros k f krange before lk. unfold update. destruct (Z.eqb_spec l k) as [same | other]; [subst k; reflexivity |]. apply before. lia.
Qed.

(** The least width that the code uses for a product holds every integer that it stands for. *)
Theorem crt_width_suffices : forall P s, 0 < P < 2 ^ (64 * crt_limbs - 1) -> (Rabs (IZR s) <= IZR P / 2 / crt_margin)%R ->
  1 <= limbs_used P <= crt_limbs /\ - 2 ^ (64 * limbs_used P - 1) <= s < 2 ^ (64 * limbs_used P - 1).
Proof.
  intros P s range capacity. rewrite crt_margin_value in capacity.
  assert (small : 2 * Z.abs s < P).
  { apply lt_IZR. rewrite mult_IZR, abs_IZR. assert (0 < IZR P)%R by (apply IZR_lt; lia). lra. }
  assert (bits : forall b, wide_bit_length P < b -> 0 <= b -> 2 * P < 2 ^ b).
  { intros b less pos. unfold wide_bit_length in less. destruct (Z.eqb_spec P 0); [lia |].
    pose proof (Z.log2_spec P ltac:(lia)) as log. pose proof (Z.log2_nonneg P). replace b with (Z.succ (b - 1)) by lia. rewrite Z.pow_succ_r by lia.
    assert (2 ^ Z.succ (Z.log2 P) <= 2 ^ (b - 1)) by (apply Z.pow_le_mono_r; lia). lia. }
  unfold limbs_used, crt_limbs in *. cbv zeta.
  destruct (Z.ltb_spec (wide_bit_length P) 127) as [b | _]; [specialize (bits 127 b); lia |].
  destruct (Z.ltb_spec (wide_bit_length P) 191) as [b | _]; [specialize (bits 191 b); lia |].
  destruct (Z.ltb_spec (wide_bit_length P) 255) as [b | _]; [specialize (bits 255 b); lia |]. lia.
Qed.

(** Real sums: from residues modulo the first `count` moduli, the code gets s. *)
Theorem crt_reconstruct_real : forall count residues stride s, 1 <= count <= max_moduli ->
  (forall l, 0 <= l < count -> Z.abs (residues (l * stride)) <= 255 /\ (moduli_list l | residues (l * stride) - s)) ->
  let P := product_of (real_planes count) count in let L := limbs_used P in
  (Rabs (IZR s) <= IZR P / 2 / crt_margin)%R -> wraps (64 * L) (reconstruct_planes L (real_planes count) count residues stride) = s.
Proof.
  intros count residues stride s range good P L capacity.
  pose proof (real_fit count range) as fit. pose proof fit as [counts [_ [coprime [_ room]]]].
  pose proof (product_positive _ _ fit count ltac:(lia)) as positive.
  destruct (crt_width_suffices P s ltac:(lia) capacity) as [limbs width]. fold L in limbs, width.
  rewrite reconstruct_planes_right with (s := s); try assumption.
  - apply wraps_wrap; lia.
  - intros l lrange. apply good. exact lrange.
  - intros j jrange jfirst.
    rewrite (sum_single count j (fun l => fst3 (real_planes count l) =? fst3 (real_planes count j)) (fun l => snd (fst (real_planes count l)) * residues (l * stride))).
    + rewrite real_plane_value by lia. unfold fst3. cbn [fst snd]. rewrite Z.mul_1_l. apply good. exact jrange.
    + exact jrange.
    + apply Z.eqb_refl.
    + intros l lrange differ. apply Z.eqb_neq. intros same.
      pose proof (coprime l j lrange jrange) as one. rewrite same in one.
      rewrite !real_plane_value in one by lia. specialize (one eq_refl eq_refl differ).
      rewrite Z.gcd_diag in one. unfold fst3 in one. cbn [fst] in one.
      destruct fit as [_ [small _]]. pose proof (small j jrange) as p_small. rewrite real_plane_value in p_small by lia. unfold fst3 in p_small. cbn [fst] in p_small. lia.
Qed.

Lemma sum_linear : forall n (c : Z -> bool) f a b x m y,
  sum_below n (fun l => if c l then f l * (a l * a l * x + a l * b l * m + b l * b l * y) else 0) =
  sum_below n (fun l => if c l then f l * (a l * a l) else 0) * x + sum_below n (fun l => if c l then f l * (a l * b l) else 0) * m +
  sum_below n (fun l => if c l then f l * (b l * b l) else 0) * y.
Proof.
  intros n c f a b x m y. unfold sum_below. induction (Z.to_nat n) as [|k IH]; [reflexivity |]. cbn [zsum]. rewrite IH. destruct (c (Z.of_nat k)); ring.
Qed.

(** The coefficients of x x', of x y' + y x' and of y y' in the sum over the planes of a modulus. *)
Definition coefficient (plane : Z -> Z * Z * bool) (count j : Z) (of : Z -> Z) : Z :=
  sum_below count (fun l => if fst3 (plane l) =? fst3 (plane j) then snd (fst (plane l)) * of l else 0).
Section Components.

(** Planes hold re x + im y modulo the modulus of their number; planes_of: how many there are of some moduli; most: of all moduli. *)
Variables (re im modulus planes_of : Z -> Z) (most moduli : Z).

Definition components_check (plane : Z -> Z * Z * bool) (imaginary : bool) : bool :=
  forallb (fun j => let p := fst3 (plane j) in
    forallb (fun l => negb (fst3 (plane l) =? p) || (modulus l =? modulus j)) (below most) &&
    (negb (snd (plane j)) ||
     (((coefficient plane most j (fun l => re l * re l) - (if imaginary then 0 else 1)) mod p =? 0) &&
      ((coefficient plane most j (fun l => re l * im l) - (if imaginary then 1 else 0)) mod p =? 0) &&
      ((coefficient plane most j (fun l => im l * im l) - (if imaginary then 0 else -1)) mod p =? 0)))) (below most).

(** The planes of the first `count` moduli are the first planes_of(count). *)
Definition prefix_check : bool :=
  forallb (fun l => forallb (fun c => Bool.eqb (l <? planes_of (c + 1)) (modulus l <? c + 1)) (below moduli)) (below most).

Lemma sum_extend : forall n m f, 0 <= n <= m -> (forall l, n <= l < m -> f l = 0) -> sum_below n f = sum_below m f.
Proof.
  intros n m f order zeros.
  assert (all : forall k, 0 <= k -> n + k <= m -> sum_below n f = sum_below (n + k) f).
  { intros k pos. rewrite <- (Z2Nat.id k pos). generalize (Z.to_nat k). clear k pos. intros k. induction k as [|k IH]; intros less.
    - f_equal. lia.
    - replace (n + Z.of_nat (S k)) with (n + Z.of_nat k + 1) by lia. rewrite sum_below_next by lia. rewrite zeros by lia. rewrite IH by lia. lia. }
  rewrite (all (m - n)) by lia. f_equal. lia.
Qed.

Lemma complex_congruent : forall plane full n count imaginary r xx xy yy, 1 <= count <= moduli -> n = planes_of count -> 0 <= n <= most ->
  (forall l, 0 <= l < n -> plane l = full l) -> components_check full imaginary = true -> prefix_check = true -> (forall l, 0 <= l < n -> 1 < fst3 (plane l) <= 256) ->
  (forall l, 0 <= l < n -> (fst3 (plane l) | r l - (re l * re l * xx + re l * im l * xy + im l * im l * yy))) ->
  residues_of plane n r (if imaginary then xy else xx - yy).
Proof.
  intros plane full n count imaginary r xx xy yy range n_is counts same_plane checked prefixes small good j jrange jfirst.
  set (s := if imaginary then xy else xx - yy).
    apply divides_trans_sum with (b := sum_below n (fun l => if fst3 (plane l) =? fst3 (plane j) then snd (fst (plane l)) *
      (re l * re l * xx + re l * im l * xy + im l * im l * yy) else 0)).
    + apply sums_divide; [lia |]. intros l lrange. destruct (Z.eqb_spec (fst3 (plane l)) (fst3 (plane j))) as [same | other].
      * rewrite <- Z.mul_sub_distr_l. apply Z.divide_mul_r. rewrite <- same. apply good. exact lrange.
      * rewrite Z.sub_diag. apply Z.divide_0_r.
    + rewrite (sum_linear n (fun l => fst3 (plane l) =? fst3 (plane j)) (fun l => snd (fst (plane l))) re im xx xy yy).
      unfold components_check in checked. pose proof (below_all _ _ checked j ltac:(lia)) as here. cbv beta zeta in here.
      apply andb_prop in here. destruct here as [local coefficients].
      assert (inside : forall l, 0 <= l < most -> (l <? n) = (modulus l <? count)).
      { intros l lrange. unfold prefix_check in prefixes. pose proof (below_all _ _ prefixes l lrange) as each. cbv beta zeta in each.
        pose proof (below_all _ _ each (count - 1) ltac:(lia)) as one. cbv beta in one. replace (count - 1 + 1) with count in one by lia. rewrite <- n_is in one.
        apply eqb_prop in one. exact one. }
      assert (same_sum : forall of_, coefficient full most j of_ = coefficient plane n j of_).
      { intros of_. unfold coefficient. symmetry. rewrite <- (sum_extend n most).
        - apply sum_below_ext. intros l lrange. rewrite !same_plane by assumption. reflexivity.
        - lia.
        - intros l lrange. destruct (Z.eqb_spec (fst3 (full l)) (fst3 (full j))) as [equal | other]; [| reflexivity].
          exfalso. pose proof (below_all _ _ local l ltac:(lia)) as there. cbv beta in there. rewrite equal, Z.eqb_refl in there. cbn [negb orb] in there.
          apply Z.eqb_eq in there. pose proof (inside l ltac:(lia)) as l_in. pose proof (inside j ltac:(lia)) as j_in. rewrite there in l_in. rewrite <- l_in in j_in.
          destruct (Z.ltb_spec l n); [lia |]. destruct (Z.ltb_spec j n); [discriminate | lia]. }
      rewrite <- (same_plane j jrange) in coefficients. rewrite jfirst in coefficients. cbn [negb orb] in coefficients.
      rewrite !same_sum in coefficients.
      apply andb_prop in coefficients. destruct coefficients as [coefficients third]. apply andb_prop in coefficients. destruct coefficients as [one two].
      pose proof (small j jrange) as p_small.
      apply Z.eqb_eq in one, two, third. apply Z.mod_divide in one; [| unfold fst3 in *; lia]. apply Z.mod_divide in two; [| unfold fst3 in *; lia]. apply Z.mod_divide in third; [| unfold fst3 in *; lia].
      unfold coefficient in *. destruct one as [a ea], two as [b eb], third as [c ec].
      set (A := sum_below _ _) in ea. set (B := sum_below _ _) in eb. set (C := sum_below _ _) in ec.
      change (fst3 (plane j) | A * xx + B * xy + C * yy - s).
      exists (a * xx + b * xy + c * yy). unfold s. destruct imaginary; lia.
Qed.

End Components.

Definition plane_real (l : Z) : Z := snd (fst (complex_plane l)).
Definition plane_imag (l : Z) : Z := snd (complex_plane l).
Definition plane_modulus (l : Z) : Z := fst3 (complex_plane l).

(** Complex sums: let xx, yy be the sums of x x' and of y y', and xy that of x y' + y x'. From the residues of the products of planes the code gets the real part
    xx - yy, and the imaginary part xy. *)
Theorem crt_reconstruct_complex : forall count imaginary residues stride xx xy yy, 1 <= count <= complex_moduli ->
  (forall l, 0 <= l < complex_planes count -> Z.abs (residues (l * stride)) <= 255 /\
    (fst3 (component_planes count imaginary l) |
      residues (l * stride) - (plane_real l * plane_real l * xx + plane_real l * plane_imag l * xy + plane_imag l * plane_imag l * yy))) ->
  let s := if imaginary then xy else xx - yy in
  let P := product_of (component_planes count imaginary) (complex_planes count) in let L := limbs_used P in
  (Rabs (IZR s) <= IZR P / 2 / crt_margin)%R ->
  wraps (64 * L) (reconstruct_planes L (component_planes count imaginary) (complex_planes count) residues stride) = s.
Proof.
  intros count imaginary residues stride xx xy yy range good s P L capacity.
  pose proof (complex_fit count imaginary range) as fit. pose proof fit as [counts [small [_ [_ room]]]].
  pose proof (product_positive _ _ fit (complex_planes count) ltac:(lia)) as positive.
  destruct (crt_width_suffices P s ltac:(lia) capacity) as [limbs width]. fold L in limbs, width.
  rewrite reconstruct_planes_right with (s := s); try assumption.
  - apply wraps_wrap; lia.
  - intros l lrange. apply good. exact lrange.
  - apply (complex_congruent plane_real plane_imag plane_modulus complex_planes max_planes complex_moduli _ (component_planes complex_moduli imaginary) (complex_planes count) count).
    + exact range.
    + reflexivity.
    + exact counts.
    + intros l lrange. apply component_planes_same; assumption.
    + destruct imaginary; vm_compute; reflexivity.
    + vm_compute. reflexivity.
    + exact small.
    + intros l lrange. apply good. exact lrange.
Qed.
