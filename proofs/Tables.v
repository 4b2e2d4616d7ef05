(** The tables of the Chinese remainder theorem for a list of planes. *)
From Coq Require Import ZArith Reals Lia Bool List Znumtheory.
From Proofs Require Import Semantics Facts ModuliSource Moduli Division.
Open Scope Z_scope.

Lemma balanced_residue_right : forall x p, 1 < p <= 256 -> (p | balanced_residue x p - x) /\ - p < 2 * balanced_residue x p <= p.
Proof.
  intros x p small. unfold balanced_residue. cbv zeta.
  pose proof (Z.quot_rem x p ltac:(lia)) as divided.
  pose proof (Z.rem_bound_abs x p ltac:(lia)) as bound.
  rewrite (wraps_small 32 (Z.rem x p)) by lia.
  set (r := Z.rem x p) in *. set (q := Z.quot x p) in *.
  destruct (Z.ltb_spec r 0) as [negative | positive]; cbv zeta.
  - destruct (Z.gtb_spec (2 * (r + p)) p); (split; [| lia]).
    + exists (- q). lia.
    + exists (1 - q). lia.
  - destruct (Z.gtb_spec (2 * r) p); (split; [| lia]).
    + exists (- q - 1). lia.
    + exists (- q). lia.
Qed.

Lemma coprime_divides : forall a b x, rel_prime a b -> (a | x) -> (b | x) -> (a * b | x).
Proof.
  intros a b x coprime [u first] second. subst x.
  assert (b | u) as [v rest].
  { apply Gauss with (b := a); [rewrite Z.mul_comm; exact second | apply rel_prime_sym; exact coprime]. }
  subst u. exists v. ring.
Qed.

Lemma sums_divide : forall m n f g, 0 <= n -> (forall l, 0 <= l < n -> (m | f l - g l)) -> (m | sum_below n f - sum_below n g).
Proof.
  intros m n f g pos. rewrite <- (Z2Nat.id n pos). generalize (Z.to_nat n). clear n pos. intros n.
  induction n as [|n IH]; intros each.
  - exists 0. reflexivity.
  - replace (Z.of_nat (S n)) with (Z.of_nat n + 1) in * by lia. rewrite !sum_below_next by lia.
    destruct IH as [a ea]; [intros l range; apply each; lia |]. destruct (each (Z.of_nat n) ltac:(lia)) as [b eb].
    exists (a + b). lia.
Qed.

(** inverse_residue as a function that no conversion unfolds. *)
Lemma sealed : {f : Z -> Z -> Z | forall a p, f a p = inverse_residue a p}.
Proof. exists inverse_residue. reflexivity. Qed.
Definition inverse (a p : Z) : Z := proj1_sig sealed a p.
Lemma inverse_is : forall a p, inverse_residue a p = inverse a p.
Proof. intros a p. symmetry. apply (proj2_sig sealed). Qed.

Section Planes.

Variables (plane : Z -> Z * Z * bool) (count : Z).
Let p l := fst3 (plane l).
Let factor l := snd (fst (plane l)).
Let first l := snd (plane l).

(** The product of the moduli of the first n planes. *)
Fixpoint product_n (n : nat) : Z := match n with O => 1 | S m => if first (Z.of_nat m) then product_n m * p (Z.of_nat m) else product_n m end.
Definition product_of (n : Z) : Z := product_n (Z.to_nat n).

(** The conditions under which a list of planes fits the Chinese remainder theorem. *)
Definition planes_fit : Prop :=
  0 <= count <= max_planes /\ (forall l, 0 <= l < count -> 1 < p l <= 256) /\
  (forall i j, 0 <= i < count -> 0 <= j < count -> first i = true -> first j = true -> i <> j -> Z.gcd (p i) (p j) = 1) /\
  (forall l, 0 <= l < count -> exists j, 0 <= j < count /\ first j = true /\ p j = p l) /\
  product_of count < 2 ^ (64 * crt_limbs - 1).

Hypothesis fit : planes_fit.

Lemma product_next : forall n, 0 <= n -> product_of (n + 1) = if first n then product_of n * p n else product_of n.
Proof.
  intros n pos. unfold product_of. replace (Z.to_nat (n + 1)) with (S (Z.to_nat n)) by lia.
  cbn [product_n]. rewrite Z2Nat.id by lia. reflexivity.
Qed.

Lemma upto : forall (Q : Z -> Prop), Q 0 -> (forall n, 0 <= n < count -> Q n -> Q (n + 1)) -> forall n, 0 <= n <= count -> Q n.
Proof.
  intros Q start step n range. rewrite <- (Z2Nat.id n) in * by lia. revert range.
  generalize (Z.to_nat n). clear n. intros n. induction n as [|n IH]; intros range; [exact start |].
  replace (Z.of_nat (S n)) with (Z.of_nat n + 1) by lia. apply step; [lia |]. apply IH. lia.
Qed.

Lemma product_positive : forall n, 0 <= n <= count -> 0 < product_of n.
Proof.
  destruct fit as [_ [range _]].
  apply upto; [reflexivity |]. intros n less positive. rewrite product_next by lia.
  pose proof (range n less). destruct (first n); nia.
Qed.

Lemma product_monotone : forall n, 0 <= n <= count -> forall m, n <= m <= count -> product_of n <= product_of m.
Proof.
  intros n nrange. assert (all : forall m, 0 <= m <= count -> n <= m -> product_of n <= product_of m).
  { apply (upto (fun m => n <= m -> product_of n <= product_of m)).
    - intros order. replace n with 0 by lia. lia.
    - intros m less before order. destruct (Z.eq_dec n (m + 1)) as [same | other]; [subst n; lia |].
      rewrite product_next by lia. pose proof (before ltac:(lia)). pose proof (product_positive m ltac:(lia)).
      destruct fit as [_ [range _]]. pose proof (range m less). destruct (first m); nia. }
  intros m range. apply all; lia.
Qed.

Lemma product_coprime : forall k, 0 <= k < count -> first k = true -> forall n, 0 <= n <= count -> n <= k -> rel_prime (product_of n) (p k).
Proof.
  intros k krange kfirst. destruct fit as [_ [range [coprime _]]].
  apply (upto (fun n => n <= k -> rel_prime (product_of n) (p k))).
  - intros _. apply rel_prime_1.
  - intros n less before order. rewrite product_next by lia. pose proof (before ltac:(lia)) as known.
    destruct (first n) eqn:nfirst; [| exact known].
    apply rel_prime_sym. apply rel_prime_mult; apply rel_prime_sym; [exact known |].
    apply Zgcd_1_rel_prime. apply coprime; auto; lia.
Qed.

(** P is p times a number that is coprime to p, and a multiple of all other moduli. *)
Lemma cofactor : forall j, 0 <= j < count -> first j = true -> forall n, 0 <= n <= count -> j < n ->
  exists c, product_of n = c * p j /\ rel_prime c (p j) /\ (forall i, 0 <= i < n -> first i = true -> i <> j -> (p i | c)).
Proof.
  intros j jrange jfirst. destruct fit as [_ [range [coprime _]]].
  apply (upto (fun n => j < n ->
    exists c, product_of n = c * p j /\ rel_prime c (p j) /\ (forall i, 0 <= i < n -> first i = true -> i <> j -> (p i | c)))); [lia |].
  intros n less before order. rewrite product_next by lia.
  destruct (Z.eq_dec j n) as [same | other].
  - subst n. rewrite jfirst. exists (product_of j). split; [reflexivity |].
    split; [apply product_coprime; auto; lia |].
    clear before order. intros i irange ifirst differ.
    assert (all : forall m, 0 <= m <= count -> i < m -> m <= j -> (p i | product_of m)).
    { apply (upto (fun m => i < m -> m <= j -> (p i | product_of m))); [lia |].
      intros m mless mbefore im mj. rewrite product_next by lia. destruct (Z.eq_dec i m) as [e | e].
      - subst m. rewrite ifirst. apply Z.divide_factor_r.
      - pose proof (mbefore ltac:(lia) ltac:(lia)) as known. destruct (first m); [apply Z.divide_mul_l |]; exact known. }
    apply all; lia.
  - destruct (before ltac:(lia)) as [c [equal [prime_ others]]].
    destruct (first n) eqn:nfirst.
    + exists (c * p n). split; [rewrite equal; ring |]. split.
      * apply rel_prime_sym. apply rel_prime_mult; [apply rel_prime_sym; exact prime_ |].
        apply Zgcd_1_rel_prime. apply coprime; auto; lia.
      * intros i irange ifirst differ. destruct (Z.eq_dec i n) as [e | e].
        -- subst i. apply Z.divide_factor_r.
        -- apply Z.divide_mul_l. apply others; auto; lia.
    + exists c. split; [exact equal |]. split; [exact prime_ |].
      intros i irange ifirst differ. apply others; auto. destruct (Z.eq_dec i n) as [e | e]; [subst i; congruence | lia].
Qed.

(** P divides every number that all moduli divide. *)
Lemma product_divides : forall x, (forall j, 0 <= j < count -> first j = true -> (p j | x)) -> (product_of count | x).
Proof.
  intros x each. assert (all : forall n, 0 <= n <= count -> (product_of n | x)).
  { apply upto; [apply Z.divide_1_l |]. intros n less known. rewrite product_next by lia.
    destruct (first n) eqn:nfirst; [| exact known].
    apply coprime_divides; [| exact known | apply each; auto].
    apply product_coprime; auto; lia. }
  apply all. destruct fit. lia.
Qed.

(** The weights as integers, and the numerators of their quotients by P. *)
Definition inverse_of l := balanced_residue (inverse (product_of count / p l mod p l) (p l) * factor l) (p l).
Definition weight_of l := product_of count / p l * inverse_of l.

Lemma weight_facts : forall l, 0 <= l < count ->
  weight_of l * p l = inverse_of l * product_of count /\ 2 * Z.abs (inverse_of l) <= p l /\ 2 * Z.abs (weight_of l) <= product_of count /\
  (p l | weight_of l - factor l) /\ (forall j, 0 <= j < count -> first j = true -> p j <> p l -> (p j | weight_of l)).
Proof.
  intros l lrange. pose proof fit as [counts [range [coprime [has_first _]]]].
  pose proof (range l lrange) as small.
  destruct (has_first l lrange) as [k [krange [kfirst same]]].
  destruct (cofactor k krange kfirst count ltac:(lia) ltac:(lia)) as [c [equal [prime_ others]]].
  assert (quotient : product_of count / p l = c).
  { rewrite equal, same. apply Z.div_mul. lia. }
  pose proof (product_positive count ltac:(lia)) as positive.
  destruct (inverse_residue_right (c mod p l) (p l)) as [x [xrange [xvalue xright]]].
  { apply Z.mod_pos_bound. lia. }
  { exact small. }
  { rewrite Z.gcd_mod by lia. rewrite Z.gcd_comm. rewrite <- same. apply Zgcd_1_rel_prime. exact prime_. }
  unfold weight_of. rewrite quotient.
  rewrite inverse_is in xvalue.
  destruct (balanced_residue_right (inverse (c mod p l) (p l) * factor l) (p l) small) as [congruent size].
  assert (numerator : inverse_of l = balanced_residue (inverse (c mod p l) (p l) * factor l) (p l)) by (unfold inverse_of; rewrite quotient; reflexivity).
  rewrite <- numerator in congruent, size. rewrite same in equal. clear numerator.
  remember (inverse_of l) as v eqn:unused. clear unused.
  assert (half : 2 * Z.abs (v) <= p l) by (clear - size small; lia).
  assert (c_positive : 0 < c) by nia.
  split; [rewrite equal; ring |]. split; [exact half |]. split; [rewrite equal, Z.abs_mul; nia |]. split.
  - (* c inverse = c x factor = factor modulo p *)
    destruct congruent as [u eu]. rewrite xvalue in eu.
    destruct (balanced_residue_right x (p l) small) as [[w ew] _].
    pose proof (Z_div_mod_eq_full (c mod p l * x) (p l)) as split1. rewrite xright in split1.
    pose proof (Z_div_mod_eq_full c (p l)) as split2.
    set (d := c mod p l * x / p l) in *. set (e := c / p l) in *. set (m := c mod p l) in *.
    remember (balanced_residue x (p l)) as b eqn:unused. clear unused. clear xvalue.
    exists (c * u + factor l * (c * w + d + e * x)).
    replace v with (u * p l + b * factor l) by lia.
    replace b with (w * p l + x) by lia.
    assert (cx : c * x = p l * (d + e * x) + 1) by nia.
    replace (c * (u * p l + (w * p l + x) * factor l) - factor l) with (c * u * p l + c * w * p l * factor l + (c * x - 1) * factor l) by ring.
    rewrite cx. ring.
  - intros j jrange jfirst differ. apply Z.divide_mul_l. apply others; auto. intros e. subst j. apply differ. exact same.
Qed.

(** The table that the code makes. *)
Lemma crt_table_right : let '(product, weight, fraction) := crt_table plane count (fun _ => 0) (fun _ => (0, 0)) in
  product = wrap (64 * crt_limbs) (product_of count) /\
  forall l, 0 <= l < count -> weight l = wrap (64 * crt_limbs) (weight_of l) /\ fraction l = (inverse_of l, p l).
Proof.
  unfold crt_table. cbv zeta. pose proof fit as [counts [range [_ [_ room]]]].
  set (body := fun (l product : Z) => _).
  assert (made : for_up 0 count body (wrap (64 * crt_limbs) 1) = product_of count).
  { apply (for_up_invariant (fun n x => n <= count -> x = product_of n) body 0 count); [lia | | | lia].
    - intros _. reflexivity.
    - intros n x nrange before _. rewrite (before ltac:(lia)). unfold body. rewrite product_next by lia.
      pose proof (product_monotone (n + 1) ltac:(lia) count ltac:(lia)) as bounded. rewrite product_next in bounded by lia.
      pose proof (product_positive n ltac:(lia)) as positive. pose proof (range n nrange) as small.
      unfold thd3_of, fst3_of. fold (first n). change (fst (fst (plane n))) with (p n).
      destruct (first n); [| reflexivity].
      rewrite (wrap_small 64) by lia. unfold wide_mul. apply wrap_small. unfold crt_limbs in *. lia. }
  rewrite made. clear made body.
  set (body := fun (l : Z) (_ : (Z -> Z) * (Z -> Z * Z)) => _).
  pose proof (for_up_invariant (fun n t => n <= count -> forall l, 0 <= l < n -> fst t l = wrap (64 * crt_limbs) (weight_of l) /\ snd t l = (inverse_of l, p l))
    body 0 count (fun _ => 0, fun _ => (0, 0)) (proj1 counts)) as made.
  destruct (for_up 0 count body (fun _ => 0, fun _ => (0, 0))) as [weight fraction].
  pose proof (product_positive count ltac:(lia)) as positive.
  split; [unfold crt_limbs in *; rewrite wrap_small; lia |].
  intros l lrange. apply made; [intros _ l_ none; exfalso; clear - none; lia | | lia | exact lrange].
  clear weight fraction made l lrange.
  intros n [weight fraction] nrange before _ l lrange. unfold body.
  pose proof (range n nrange) as small.
  destruct (plane n) as [[p_ factor_] first_] eqn:here.
  assert (p_here : p n = p_) by (unfold p; rewrite here; reflexivity).
  assert (factor_here : factor n = factor_) by (unfold factor; rewrite here; reflexivity).
  cbn [fst snd]. unfold update.
  destruct (Z.eqb_spec l n) as [same | other].
  - subst l. rewrite p_here in small.
    assert (rest : 0 <= product_of count / p_ <= product_of count).
    { split; [apply Z.div_pos; lia |]. apply Z.div_le_upper_bound; nia. }
    rewrite divide_exactly_right by (unfold crt_limbs in *; lia).
    rewrite residue_of_right by (unfold crt_limbs in *; lia).
    rewrite inverse_is.
    replace (balanced_residue (inverse (product_of count / p_ mod p_) p_ * factor_) p_) with (inverse_of n) by (unfold inverse_of; rewrite p_here, factor_here; reflexivity).
    split; [| rewrite p_here; reflexivity].
    destruct (weight_facts n nrange) as [_ [inverse_small [weight_small _]]]. rewrite p_here in inverse_small.
    assert (value : weight_of n = product_of count / p_ * inverse_of n) by (unfold weight_of; rewrite p_here; reflexivity).
    assert (magnitude : wrap 64 (if inverse_of n <? 0 then - inverse_of n else inverse_of n) = Z.abs (inverse_of n)).
    { rewrite wrap_small; destruct (Z.ltb_spec (inverse_of n) 0); lia. }
    rewrite magnitude. unfold wide_negate_if, wide_mul. rewrite value in *. rewrite Z.abs_mul in weight_small.
    rewrite (Z.abs_eq (product_of count / p_)) in weight_small by lia.
    rewrite (wrap_small _ (product_of count / p_ * Z.abs (inverse_of n))) by (unfold crt_limbs in *; nia).
    destruct (Z.ltb_spec (inverse_of n) 0).
    + f_equal. rewrite Z.abs_neq by lia. ring.
    + rewrite Z.abs_eq by lia. symmetry. apply wrap_small. rewrite Z.abs_eq in weight_small by lia. unfold crt_limbs in *. nia.
  - apply (before ltac:(lia) l). lia.
Qed.

End Planes.

(** The product of all moduli of real sums has 342 bits. Complex sums of 204 bits are within P / 2 / (33 / 32), in max_planes planes. *)
Theorem table_capacities : 2 ^ 341 <= product_of (real_planes max_moduli) max_moduli < 2 ^ 342 /\
  2 ^ 204 * 66 <= product_of (component_planes complex_moduli false) max_planes * 32 /\ complex_planes complex_moduli = max_planes.
Proof. split; [split | split]; vm_compute; (reflexivity || discriminate). Qed.
