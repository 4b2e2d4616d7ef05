(** Every place that chooses the number of limbs of a sum chooses enough: int8_finish.cpp (crt_width_suffices), the portable kernels, and the GPU's kernels. *)
From Coq Require Import ZArith Reals Lia Lra Bool List.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts ModuliSource Tables CrtSource Reconstruction Crt WidthSource.
Open Scope Z_scope.

Definition limbs_hold (L s : Z) : Prop := 1 <= L <= crt_limbs /\ - 2 ^ (64 * L - 1) <= s < 2 ^ (64 * L - 1).

Lemma half_product : forall P s, 0 < P -> (Rabs (IZR s) <= IZR P / 2 / crt_margin)%R -> 2 * Z.abs s < P.
Proof.
  intros P s positive capacity. rewrite crt_margin_value in capacity. apply lt_IZR. rewrite mult_IZR, abs_IZR.
  assert (0 < IZR P)%R by (apply IZR_lt; lia). lra.
Qed.

Lemma limbs_enough : forall L P s, 1 <= L <= crt_limbs -> 0 < P <= 2 ^ (64 * L) -> (Rabs (IZR s) <= IZR P / 2 / crt_margin)%R -> limbs_hold L s.
Proof.
  intros L P s range most capacity. pose proof (half_product P s ltac:(lia) capacity). split; [exact range |].
  replace (64 * L) with (Z.succ (64 * L - 1)) in most by lia. rewrite Z.pow_succ_r in most by lia. lia.
Qed.

Definition widths_match (planes : Z -> Z * Z * bool) (planes_of limbs : Z -> Z) (most : Z) : bool :=
  forallb (fun c => let L := limbs c in (1 <=? L) && (L <=? crt_limbs) && (product_of planes (planes_of c) <=? 2 ^ (64 * L))) (below (most + 1)).
Lemma widths_real : widths_match (real_planes max_moduli) (fun c => c) limbs_gpu_real max_moduli = true.
Proof. vm_cast_no_check (eq_refl true). Qed.
Lemma widths_complex : forall imaginary, widths_match (component_planes complex_moduli imaginary) complex_planes limbs_gpu_complex complex_moduli = true.
Proof. intros imaginary. destruct imaginary; vm_cast_no_check (eq_refl true). Qed.

Lemma width_of : forall planes planes_of limbs most c, widths_match planes planes_of limbs most = true -> 0 <= c <= most ->
  1 <= limbs c <= crt_limbs /\ product_of planes (planes_of c) <= 2 ^ (64 * limbs c).
Proof. intros planes planes_of limbs most c matches range. unfold widths_match in matches. pose proof (below_all _ _ matches c ltac:(lia)) as one. cbv beta zeta in one. lia. Qed.

Theorem crt_widths_suffice :
  (forall P s, 0 < P < 2 ^ (64 * crt_limbs - 1) -> (Rabs (IZR s) <= IZR P / 2 / crt_margin)%R -> limbs_hold (limbs_portable P) s) /\
  (forall count s, 1 <= count <= max_moduli -> (Rabs (IZR s) <= IZR (product_of (real_planes count) count) / 2 / crt_margin)%R -> limbs_hold (limbs_gpu_real count) s) /\
  (forall count imaginary s, 1 <= count <= complex_moduli ->
    (Rabs (IZR s) <= IZR (product_of (component_planes count imaginary) (complex_planes count)) / 2 / crt_margin)%R -> limbs_hold (limbs_gpu_complex count) s).
Proof.
  split; [| split].
  - intros P s range capacity.
    assert (bits : forall b, wide_bit_length P < b -> 0 <= b -> P <= 2 ^ b).
    { intros b less pos. unfold wide_bit_length in less. destruct (Z.eqb_spec P 0); [lia |].
      pose proof (Z.log2_spec P ltac:(lia)) as log. pose proof (Z.log2_nonneg P).
      assert (2 ^ Z.succ (Z.log2 P) <= 2 ^ b) by (apply Z.pow_le_mono_r; lia). lia. }
    unfold limbs_portable, crt_limbs in *. cbv zeta.
    destruct (Z.ltb_spec (wide_bit_length P) 127) as [b | _]; [apply limbs_enough with P; [unfold crt_limbs; lia | specialize (bits 128 ltac:(lia)); lia | exact capacity] |].
    destruct (Z.ltb_spec (wide_bit_length P) 191) as [b | _]; [apply limbs_enough with P; [unfold crt_limbs; lia | specialize (bits 192 ltac:(lia)); lia | exact capacity] |].
    apply limbs_enough with P; [unfold crt_limbs; lia | lia | exact capacity].
  - intros count s range capacity. pose proof (real_fit count range) as fit. pose proof (product_positive _ _ fit count ltac:(lia)) as positive.
    rewrite (product_same (real_planes max_moduli) (real_planes count)) in * by (intros l lrange; apply real_planes_same; lia).
    destruct (width_of _ _ _ _ count widths_real ltac:(lia)) as [limbs width]. apply limbs_enough with (2 := conj positive width); assumption.
  - intros count imaginary s range capacity. pose proof (complex_fit count imaginary range) as fit.
    pose proof (product_positive _ _ fit (complex_planes count) ltac:(pose proof (complex_planes_most count range); lia)) as positive.
    rewrite (product_same (component_planes complex_moduli imaginary) (component_planes count imaginary)) in * by (intros l lrange; apply component_planes_same; assumption).
    destruct (width_of _ _ _ _ count (widths_complex imaginary) ltac:(lia)) as [limbs width]. apply limbs_enough with (2 := conj positive width); assumption.
Qed.
