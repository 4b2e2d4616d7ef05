(* Euclidean norms of vectors f(0), ..., f(n - 1), and matrices that multiply them. *)
From Coq Require Import ZArith Reals Lra Lia Bool List Permutation Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Extended Facts Floats Rounding Sums OutwardSource Outward Linear.

Open Scope R_scope.

Definition dot (n : nat) (f g : nat -> R) : R := sum_to n (fun i => f i * g i).
Definition norm (n : nat) (f : nat -> R) : R := sqrt (dot n f f).

Lemma dot_positive (n : nat) (f : nat -> R) : 0 <= dot n f f.
Proof. apply sum_positive. intros i _. exact (Rle_0_sqr (f i)). Qed.
Lemma norm_positive (n : nat) (f : nat -> R) : 0 <= norm n f.
Proof. apply sqrt_pos. Qed.
Lemma norm_squared (n : nat) (f : nat -> R) : norm n f * norm n f = dot n f f.
Proof. apply sqrt_sqrt, dot_positive. Qed.
Lemma square_le (a b : R) : 0 <= b -> a * a <= b * b -> a <= b.
Proof. intros Hb H. nra. Qed.

Lemma dot_symmetric (n : nat) (f g : nat -> R) : dot n f g = dot n g f.
Proof. apply sum_equal. intros. ring. Qed.
Lemma dot_plus (n : nat) (f g h : nat -> R) : dot n (fun i => f i + g i) h = dot n f h + dot n g h.
Proof. unfold dot. rewrite <- sum_plus. apply sum_equal. intros. ring. Qed.
Lemma dot_scaled (n : nat) (f g : nat -> R) (c : R) : dot n (fun i => c * f i) g = c * dot n f g.
Proof. unfold dot. rewrite (Rmult_comm c), <- sum_scaled. apply sum_equal. intros. ring. Qed.

Lemma dot_norms (n : nat) (f g : nat -> R) : Rabs (dot n f g) <= norm n f * norm n g.
Proof.
  assert (A := norm_squared n f). assert (B := norm_squared n g). assert (Pa := norm_positive n f). assert (Pb := norm_positive n g).
  set (a := norm n f) in *. set (b := norm n g) in *. assert (Q : forall t, 0 <= dot n f f + 2 * t * dot n f g + t * t * dot n g g).
  { intros t. assert (P := dot_positive n (fun i => f i + t * g i)). rewrite dot_plus, dot_scaled, !(dot_symmetric n _ (fun i => f i + t * g i)), !dot_plus, !dot_scaled, (dot_symmetric n g f) in P. lra. }
  assert (Zero : b = 0 -> dot n f g = 0).
  { intros Zb. rewrite Zb, Rmult_0_r in B. destruct (Req_dec (dot n f g) 0) as [E|N]; [exact E|]. exfalso. specialize (Q (- (a * a + 1) / (2 * dot n f g))). rewrite <- B, <- A, Rmult_0_r, Rplus_0_r in Q.
    replace (2 * (- (a * a + 1) / (2 * dot n f g)) * dot n f g) with (- (a * a + 1)) in Q by (field; exact N). lra. }
  destruct (Req_dec b 0) as [Zb|Nb]; [rewrite (Zero Zb), Zb, Rabs_R0; lra|]. apply square_le; [now apply Rmult_le_pos|].
  assert (S : Rabs (dot n f g) * Rabs (dot n f g) = dot n f g * dot n f g) by (rewrite <- Rabs_mult; apply Rabs_pos_eq; exact (Rle_0_sqr (dot n f g))). rewrite S.
  assert (Pg : 0 < b * b) by nra. specialize (Q (- dot n f g / (b * b))). rewrite <- A, <- B in Q.
  replace (a * a + 2 * (- dot n f g / (b * b)) * dot n f g + - dot n f g / (b * b) * (- dot n f g / (b * b)) * (b * b)) with (a * a - dot n f g * dot n f g / (b * b)) in Q by (field; exact Nb).
  apply Rmult_le_reg_r with (/ (b * b)); [now apply Rinv_0_lt_compat|]. replace (a * b * (a * b) * / (b * b)) with (a * a) by (field; exact Nb). unfold Rdiv in Q. lra.
Qed.

Lemma norm_triangle (n : nat) (f g : nat -> R) : norm n (fun i => f i + g i) <= norm n f + norm n g.
Proof.
  assert (Pa := norm_positive n f). assert (Pb := norm_positive n g). apply square_le; [lra|]. rewrite norm_squared, dot_plus, !(dot_symmetric n _ (fun i => f i + g i)), !dot_plus.
  assert (C := Rle_trans _ _ _ (Rle_abs _) (dot_norms n f g)). rewrite (dot_symmetric n g f), <- !norm_squared. lra.
Qed.

Lemma norm_monotone (n : nat) (f g : nat -> R) : (forall i, (i < n)%nat -> Rabs (f i) <= Rabs (g i)) -> norm n f <= norm n g.
Proof.
  intros H. apply sqrt_le_1; try apply dot_positive. apply sum_monotone. intros i Hi. specialize (H i Hi). change (Rsqr (f i) <= Rsqr (g i)). rewrite (Rsqr_abs (f i)), (Rsqr_abs (g i)). apply Rsqr_incr_1; auto; apply Rabs_pos.
Qed.

Lemma norm_equal (n : nat) (f g : nat -> R) : (forall i, (i < n)%nat -> f i = g i) -> norm n f = norm n g.
Proof. intros H. apply Rle_antisym; apply norm_monotone; intros i Hi; rewrite (H i Hi); lra. Qed.

Lemma norm_absolute (n : nat) (f : nat -> R) : norm n (fun i => Rabs (f i)) = norm n f.
Proof. apply Rle_antisym; apply norm_monotone; intros; rewrite Rabs_Rabsolu; lra. Qed.

Lemma norm_scaled (n : nat) (f : nat -> R) (c : R) : norm n (fun i => c * f i) = Rabs c * norm n f.
Proof.
  assert (P := norm_positive n f). assert (A := Rabs_pos c). apply Rsqr_inj; [apply norm_positive | now apply Rmult_le_pos|]. unfold Rsqr. rewrite norm_squared, dot_scaled, dot_symmetric, dot_scaled.
  replace (Rabs c * norm n f * (Rabs c * norm n f)) with (Rabs c * Rabs c * (norm n f * norm n f)) by ring. rewrite norm_squared, <- Rabs_mult, (Rabs_pos_eq (c * c)) by exact (Rle_0_sqr c). ring.
Qed.

(* Triangle inequality for numbers that are bounded by others. *)
Lemma norm_below (n : nat) (f g h : nat -> R) : (forall i, (i < n)%nat -> Rabs (f i) <= g i + h i) -> norm n f <= norm n g + norm n h.
Proof.
  intros H. eapply Rle_trans; [|apply norm_triangle]. apply norm_monotone. intros i Hi. eapply Rle_trans; [now apply H | apply Rle_abs].
Qed.

Lemma sum_constant (n : nat) (c : R) : sum_to n (fun _ => c) = INR n * c.
Proof. induction n as [|n IH]; [simpl; ring|]. cbn [sum_to]. rewrite IH, S_INR. ring. Qed.

Lemma norm_constant (n : nat) (c : R) : 0 <= c -> norm n (fun _ => c) = sqrt (INR n) * c.
Proof.
  intros Hc. assert (N := pos_INR n). assert (P := sqrt_pos (INR n)). apply Rsqr_inj; [apply norm_positive | now apply Rmult_le_pos|]. unfold Rsqr. rewrite norm_squared. unfold dot. rewrite sum_constant.
  replace (sqrt (INR n) * c * (sqrt (INR n) * c)) with (sqrt (INR n) * sqrt (INR n) * (c * c)) by ring. now rewrite sqrt_sqrt.
Qed.

Lemma root_below (n : nat) : sqrt (INR n) <= INR n.
Proof.
  assert (P := pos_INR n). apply square_le; [exact P|]. rewrite sqrt_sqrt by exact P. destruct n as [|n]; [simpl; lra|]. rewrite S_INR in *. assert (0 <= INR n) by apply pos_INR. nra.
Qed.

(* A unit vector. *)
Lemma unit_norm (n j : nat) : (j < n)%nat -> norm n (identity j) = 1.
Proof. intros Hj. unfold norm, dot. rewrite sum_identity by exact Hj. unfold identity. rewrite Nat.eqb_refl. apply sqrt_1. Qed.

Lemma entry_below_norm (n : nat) (f : nat -> R) (i : nat) : (i < n)%nat -> Rabs (f i) <= norm n f.
Proof.
  intros Hi. apply square_le; [apply norm_positive|]. rewrite norm_squared, <- Rabs_mult, (Rabs_pos_eq (f i * f i)) by exact (Rle_0_sqr (f i)).
  apply (sum_term n (fun j => f j * f j) i); [intros; exact (Rle_0_sqr (f i0)) | exact Hi].
Qed.

(* The product of a matrix with columns of r numbers and a vector of n. *)
Definition product (n : nat) (X : nat -> nat -> R) (v : nat -> R) (i : nat) : R := sum_to n (fun j => X i j * v j).

(* The norm of a product is at most that of the norms of the columns times that of the vector. *)
Lemma product_below (r n : nat) (X : nat -> nat -> R) (v b : nat -> R) : (forall j, (j < n)%nat -> norm r (fun i => X i j) <= b j) -> norm r (product n X v) <= norm n b * norm n v.
Proof.
  intros H. assert (B : forall j, (j < n)%nat -> 0 <= b j) by (intros j Hj; eapply Rle_trans; [apply norm_positive | now apply H]).
  apply square_le; [apply Rmult_le_pos; apply norm_positive|]. rewrite norm_squared. replace (norm n b * norm n v * (norm n b * norm n v)) with (dot n b b * (norm n v * norm n v)) by (rewrite <- (norm_squared n b); ring).
  apply Rle_trans with (sum_to r (fun i => dot n (X i) (X i) * (norm n v * norm n v))).
  - apply sum_monotone. intros i _. unfold product. assert (C := dot_norms n (X i) v). change (sum_to n (fun j => X i j * v j)) with (dot n (X i) v). set (d := dot n (X i) v) in *.
    rewrite <- (norm_squared n (X i)). replace (norm n (X i) * norm n (X i) * (norm n v * norm n v)) with (norm n (X i) * norm n v * (norm n (X i) * norm n v)) by ring.
    change (Rsqr d <= Rsqr (norm n (X i) * norm n v)). rewrite Rsqr_abs. apply Rsqr_incr_1; [exact C | apply Rabs_pos | apply Rmult_le_pos; apply norm_positive].
  - rewrite sum_scaled. apply Rmult_le_compat_r; [rewrite norm_squared; apply dot_positive|]. unfold dot at 1. rewrite sum_exchanged. apply sum_monotone. intros j Hj.
    change (dot r (fun i => X i j) (fun i => X i j) <= b j * b j). rewrite <- norm_squared. apply Rmult_le_compat; try apply norm_positive; now apply H.
Qed.

Lemma product_unit (n : nat) (X : nat -> nat -> R) (i j : nat) : (j < n)%nat -> product n X (identity j) i = X i j.
Proof.
  intros Hj. unfold product. rewrite (sum_equal n _ (fun k => identity j k * X i k)) by (intros; ring). now apply sum_identity.
Qed.

Lemma product_plus (n : nat) (X Y : nat -> nat -> R) (v : nat -> R) (i : nat) : product n (fun i j => X i j + Y i j) v i = product n X v i + product n Y v i.
Proof. unfold product. rewrite <- sum_plus. apply sum_equal. intros. ring. Qed.
