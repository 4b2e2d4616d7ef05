(* The certificate of dp:repro and sp:repro (docs/modes.md). *)
From Coq Require Import ZArith Reals Lra Lia Bool List Psatz.
From Flocq Require Import Core Relative.
From Proofs Require Import Semantics Facts Floats Fixed CertificateSource.

Open Scope R_scope.

(* A number as the code decodes it: abs(a) = mantissa 2^exponent. *)
Definition decoded (a : R) (d : Z * Z) : Prop := (0 <= fst d < 2 ^ 53)%Z /\ Rabs a = IZR (fst d) * pow (snd d).

Lemma pow_IZR (e : Z) : (0 <= e)%Z -> pow e = IZR (2 ^ e).
Proof. intros H. now rewrite <- (IZR_Zpower radix2) by exact H. Qed.

(* The scaled number is an integer after a shift to the left. *)
Lemma shifted_left (m e s limit : Z) : (0 <= s)%Z -> IZR m * pow s < pow limit -> (0 <= limit)%Z -> (0 <= m)%Z ->
  (0 <= Z.shiftl m s < 2 ^ limit)%Z /\ IZR (Z.shiftl m s) = IZR m * pow s.
Proof.
  intros Hs H Hl Hm. rewrite Z.shiftl_mul_pow2, mult_IZR, <- pow_IZR by exact Hs. split; [|reflexivity].
  split; [apply Z.mul_nonneg_nonneg; lia|]. apply lt_IZR. rewrite mult_IZR, <- !pow_IZR by assumption. exact H.
Qed.

Lemma ceiling_above (a : R) (m e E : Z) : decoded a (m, e) -> Rabs a < pow E ->
  Rabs a * pow (24 - E) <= IZR (certificate_ceiling m e E).
Proof.
  intros (Hm & Ha) H. unfold fst, snd in *. unfold certificate_ceiling.
  change (wrap 64 0) with 0%Z. destruct (Z.eqb_spec m 0) as [->|N]; [rewrite Ha; lra|].
  cbv zeta. set (s := (e + 24 - E)%Z).
  assert (V : Rabs a * pow (24 - E) = IZR m * pow s).
  { rewrite Ha, Rmult_assoc, <- bpow_plus. f_equal. f_equal. unfold s. lia. }
  assert (V' : IZR m * pow s < pow 24).
  { rewrite <- V. replace (pow 24) with (pow E * pow (24 - E)) by (rewrite <- bpow_plus; f_equal; lia).
    apply Rmult_lt_compat_r; [apply bpow_gt_0 | exact H]. }
  rewrite V. destruct (Z.geb_spec s 0) as [P|P].
  - destruct (shifted_left m e s 24 P V' ltac:(lia) ltac:(lia)) as (B & Q).
    rewrite wrap_small by (change (2 ^ 24)%Z with 16777216%Z in B; lia).
    rewrite wraps_small by (change (2 ^ 24)%Z with 16777216%Z in B; lia). rewrite Q. apply Rle_refl.
  - destruct (Z.leb_spec s (-64)) as [L|L].
    + apply Rle_trans with (pow 53 * pow (-64)).
      * apply Rmult_le_compat; [apply IZR_le; lia | apply bpow_ge_0 | | apply bpow_le; lia].
        rewrite pow_IZR by lia. apply IZR_le. lia.
      * rewrite <- bpow_plus. change 1 with (pow 0). apply bpow_le. lia.
    + assert (Hs : (1 <= - s <= 63)%Z) by lia.
      assert (B : (2 ^ 1 <= 2 ^ (- s) <= 2 ^ 63)%Z) by (split; apply Z.pow_le_mono_r; lia).
      change (2 ^ 1)%Z with 2%Z in B. change (2 ^ 63)%Z with 9223372036854775808%Z in B.
      change (wrap 64 1) with 1%Z. rewrite Z.shiftl_1_l, (wrap_small 64 (2 ^ (- s))) by lia.
      rewrite (wrap_small 64 (2 ^ (- s) - 1)) by lia.
      replace (2 ^ (- s) - 1)%Z with (Z.ones (- s)) by (rewrite Z.ones_equiv; lia).
      rewrite Z.land_ones, Z.shiftr_div_pow2 by lia. set (q := (m / 2 ^ (- s))%Z). set (r := (m mod 2 ^ (- s))%Z).
      assert (D : (m = 2 ^ (- s) * q + r)%Z) by (apply Z.div_mod; lia).
      assert (R0 : (0 <= r < 2 ^ (- s))%Z) by (apply Z.mod_pos_bound; lia).
      change (2 ^ 53)%Z with 9007199254740992%Z in Hm.
      assert (Q0 : (0 <= q < 9007199254740992)%Z).
      { split; [apply Z.div_pos; lia|]. apply Z.div_lt_upper_bound; nia. }
      assert (C : (0 <= Z.b2z (negb (r =? 0)) <= 1)%Z) by (destruct (r =? 0)%Z; simpl; lia).
      rewrite (wrap_small 64 (Z.b2z _)) by lia. rewrite wrap_small by lia. rewrite wraps_small by lia.
      assert (PP : pow s * IZR (2 ^ (- s)) = 1).
      { rewrite <- pow_IZR, <- bpow_plus by lia. replace (s + - s)%Z with 0%Z by lia. reflexivity. }
      rewrite D at 1. rewrite plus_IZR, mult_IZR.
      replace ((IZR (2 ^ (- s)) * IZR q + IZR r) * pow s) with (IZR q + IZR r * pow s) 
        by (replace ((IZR (2 ^ (- s)) * IZR q + IZR r) * pow s) with (IZR q * (pow s * IZR (2 ^ (- s))) + IZR r * pow s) by ring;
            rewrite PP; ring).
      rewrite plus_IZR. apply Rplus_le_compat_l.
      destruct (Z.eqb_spec r 0) as [->|Nr]; simpl Z.b2z; [lra|].
      rewrite <- PP. rewrite (Rmult_comm (pow s)). apply Rmult_le_compat_r; [apply bpow_ge_0|]. apply IZR_le. lia.
Qed.

Lemma byte_below (a : R) (m e E : Z) : decoded a (m, e) -> Rabs a < pow E ->
  0 <= IZR (certificate_byte m e E) <= Rabs a * pow (7 - E).
Proof.
  intros (Hm & Ha) H. unfold fst, snd in *. unfold certificate_byte. cbv zeta. set (s := (e + 7 - E)%Z).
  assert (V : Rabs a * pow (7 - E) = IZR m * pow s).
  { rewrite Ha, Rmult_assoc, <- bpow_plus. f_equal. f_equal. unfold s. lia. }
  assert (V' : IZR m * pow s < pow 7).
  { rewrite <- V. replace (pow 7) with (pow E * pow (7 - E)) by (rewrite <- bpow_plus; f_equal; lia).
    apply Rmult_lt_compat_r; [apply bpow_gt_0 | exact H]. }
  rewrite V. destruct (Z.geb_spec s 0) as [P|P].
  - destruct (shifted_left m e s 7 P V' ltac:(lia) ltac:(lia)) as (B & Q). change (2 ^ 7)%Z with 128%Z in B.
    rewrite wrap_small by lia. rewrite wraps_small by lia. rewrite <- Q. split; [apply IZR_le; lia | apply Rle_refl].
  - destruct (Z.leb_spec s (-64)) as [L|L].
    + split; [apply Rle_refl|]. apply Rmult_le_pos; [apply IZR_le; lia | apply bpow_ge_0].
    + rewrite Z.shiftr_div_pow2 by lia.
      assert (B : (1 <= 2 ^ (- s))%Z) by (change 1%Z with (2 ^ 0)%Z; apply Z.pow_le_mono_r; lia).
      set (q := (m / 2 ^ (- s))%Z). assert (Q0 : (0 <= q)%Z) by (apply Z.div_pos; lia).
      assert (D : (2 ^ (- s) * q <= m)%Z) by (apply Z.mul_div_le; lia).
      assert (PP : pow s * IZR (2 ^ (- s)) = 1).
      { rewrite <- pow_IZR, <- bpow_plus by lia. replace (s + - s)%Z with 0%Z by lia. reflexivity. }
      assert (Q1 : IZR q <= IZR m * pow s).
      { apply IZR_le in D. rewrite mult_IZR in D. replace (IZR q) with (IZR (2 ^ (- s)) * IZR q * pow s) 
          by (replace (IZR (2 ^ (- s)) * IZR q * pow s) with (IZR q * (pow s * IZR (2 ^ (- s)))) by ring; rewrite PP; ring).
        apply Rmult_le_compat_r; [apply bpow_ge_0 | exact D]. }
      assert (Q2 : (q < 128)%Z).
      { apply lt_IZR. eapply Rle_lt_trans; [exact Q1|]. eapply Rlt_le_trans; [exact V'|]. right. reflexivity. }
      rewrite wraps_small by lia. split; [apply IZR_le; lia | exact Q1].
Qed.

(* The entries of a row and a column, as the certificate reads them; `counts` says that the term contributes to X. *)
Record entry := { value_a : R; value_b : R; bits_a : Z * Z; bits_b : Z * Z; counts : bool }.
Definition valid (E F : Z) (t : entry) : Prop :=
  (decoded (value_a t) (bits_a t) /\ Rabs (value_a t) < pow E) /\ (decoded (value_b t) (bits_b t) /\ Rabs (value_b t) < pow F).
Definition terms_of (entries : list entry) : list (R * R) := map (fun t => (value_a t, value_b t)) entries.
Definition lambda_of (E : Z) (entries : list entry) : Z :=
  fold_right (fun t r => (r + certificate_ceiling (fst (bits_a t)) (snd (bits_a t)) E)%Z) 0%Z entries.
Definition mu_of (F : Z) (entries : list entry) : Z :=
  fold_right (fun t r => (r + certificate_ceiling (fst (bits_b t)) (snd (bits_b t)) F)%Z) 0%Z entries.
Definition x_of (E F : Z) (entries : list entry) : Z :=
  fold_right (fun t r => (r + if counts t then certificate_byte (fst (bits_a t)) (snd (bits_a t)) E *
                                               certificate_byte (fst (bits_b t)) (snd (bits_b t)) F else 0)%Z) 0%Z entries.

Lemma lambda_above (E F : Z) (entries : list entry) : Forall (valid E F) entries ->
  sum_a (terms_of entries) * pow (24 - E) <= IZR (lambda_of E entries).
Proof.
  induction entries as [|t l IH]; intros H; [unfold sum_a, lambda_of; simpl; lra|].
  specialize (IH (Forall_inv_tail H)). apply Forall_inv in H. destruct H as ((D & L) & _).
  change (sum_a (terms_of (t :: l))) with (sum_a (terms_of l) + Rabs (value_a t)).
  change (lambda_of E (t :: l)) with (lambda_of E l + certificate_ceiling (fst (bits_a t)) (snd (bits_a t)) E)%Z.
  rewrite plus_IZR. destruct (bits_a t) as (m, e). assert (C := ceiling_above _ m e E D L). cbn [fst snd]. lra.
Qed.

Lemma mu_above (E F : Z) (entries : list entry) : Forall (valid E F) entries ->
  sum_b (terms_of entries) * pow (24 - F) <= IZR (mu_of F entries).
Proof.
  induction entries as [|t l IH]; intros H; [unfold sum_b, mu_of; simpl; lra|].
  specialize (IH (Forall_inv_tail H)). apply Forall_inv in H. destruct H as (_ & (D & L)).
  change (sum_b (terms_of (t :: l))) with (sum_b (terms_of l) + Rabs (value_b t)).
  change (mu_of F (t :: l)) with (mu_of F l + certificate_ceiling (fst (bits_b t)) (snd (bits_b t)) F)%Z.
  rewrite plus_IZR. destruct (bits_b t) as (m, e). assert (C := ceiling_above _ m e F D L). cbn [fst snd]. lra.
Qed.

Lemma x_below (E F : Z) (entries : list entry) : Forall (valid E F) entries ->
  IZR (x_of E F entries) <= magnitudes (terms_of entries) * pow (14 - E - F).
Proof.
  induction entries as [|t l IH]; intros H; [unfold magnitudes, x_of; simpl; lra|].
  specialize (IH (Forall_inv_tail H)). apply Forall_inv in H. destruct H as ((Da & La) & (Db & Lb)).
  change (magnitudes (terms_of (t :: l))) with (magnitudes (terms_of l) + Rabs (value_a t * value_b t)).
  match goal with |- context [x_of E F (t :: l)] =>
    change (x_of E F (t :: l)) with (x_of E F l + if counts t then certificate_byte (fst (bits_a t)) (snd (bits_a t)) E *
      certificate_byte (fst (bits_b t)) (snd (bits_b t)) F else 0)%Z end.
  rewrite plus_IZR, Rabs_mult. destruct (bits_a t) as (ma, ea), (bits_b t) as (mb, eb). cbn [fst snd].
  assert (Ca := byte_below _ ma ea E Da La). assert (Cb := byte_below _ mb eb F Db Lb).
  assert (P : pow (14 - E - F) = pow (7 - E) * pow (7 - F)) by (rewrite <- bpow_plus; f_equal; lia).
  assert (M : IZR (certificate_byte ma ea E) * IZR (certificate_byte mb eb F) <=
              (Rabs (value_a t) * pow (7 - E)) * (Rabs (value_b t) * pow (7 - F))) by (apply Rmult_le_compat; lra).
  assert (M0 : 0 <= (Rabs (value_a t) * pow (7 - E)) * (Rabs (value_b t) * pow (7 - F))) by (apply Rmult_le_pos; lra).
  rewrite P in *. destruct (counts t); [rewrite mult_IZR|]; lra.
Qed.

(* The rungs of the table that the code tries. *)
Definition is_rung (rungs : Z * (Z * Z * Z * Z * Z * Z) * Z) (T v : Z) : Prop :=
  let '(count, (t0, t1, t2, t3, t4, t5), digits) := rungs in
  v = digits /\ In T (firstn (Z.to_nat count) (t0 :: t1 :: t2 :: t3 :: t4 :: t5 :: nil)).

Lemma rung_range (T v : Z) : is_rung certificate_rungs64 T v \/ is_rung certificate_rungs32 T v ->
  (21 <= T <= 64)%Z /\ (v <= T + 11)%Z.
Proof. intros [(-> & H)|(-> & H)]; simpl in H; lia. Qed.

Lemma least_above (T v k : Z) : (21 <= T <= 64)%Z -> (0 <= k)%Z ->
  IZR k * pow (23 - T) <= IZR (snd (certificate_test T v k)).
Proof.
  intros HT Hk. unfold certificate_test. cbv zeta. cbn [snd]. set (s := (T - 23)%Z).
  replace (23 - T)%Z with (- s)%Z by (unfold s; lia). destruct (Z.geb_spec s 0) as [P|P].
  - change (wraps 64 1) with 1%Z. rewrite Z.shiftl_1_l, Z.shiftr_div_pow2 by lia.
    assert (B : (1 <= 2 ^ s <= 2 ^ 41)%Z).
    { split; [change 1%Z with (2 ^ 0)%Z|]; apply Z.pow_le_mono_r; unfold s in *; lia. }
    change (2 ^ 41)%Z with 2199023255552%Z in B.
    set (q := ((k + 2 ^ s - 1) / 2 ^ s)%Z).
    assert (D : (k <= q * 2 ^ s)%Z).
    { assert (M := Z.mod_pos_bound (k + 2 ^ s - 1) (2 ^ s) ltac:(lia)).
      assert (Q := Z.div_mod (k + 2 ^ s - 1) (2 ^ s) ltac:(lia)). fold q in Q. lia. }
    apply IZR_le in D. rewrite mult_IZR, <- pow_IZR in D by lia.
    apply Rle_trans with (IZR q * pow s * pow (- s)); [apply Rmult_le_compat_r; [apply bpow_ge_0 | exact D]|].
    rewrite Rmult_assoc, <- bpow_plus. replace (s + - s)%Z with 0%Z by lia. simpl (pow 0). lra.
  - rewrite Z.shiftl_mul_pow2, mult_IZR, <- pow_IZR by lia. apply Rle_refl.
Qed.

(* Theorem: an accepted sum of k terms errs by at most (k + 1) u times the sum of the magnitudes. A component of a
   complex sum is a sum of 2 k real terms. *)
Theorem certificate_accepts (E F T v : Z) (entries : list entry) : Forall (valid E F) entries ->
  is_rung certificate_rungs64 T v \/ is_rung certificate_rungs32 T v ->
  let k := Z.of_nat (length entries) in
  let (factor, least) := certificate_test T v k in
  certificate_suffices factor least (lambda_of E entries + mu_of F entries) (x_of E F entries) = true ->
  Rabs (fixed_sum T E F (terms_of entries) - exact_sum (terms_of entries)) <=
  (IZR k + 1) * pow (- v) * magnitudes (terms_of entries).
Proof.
  intros H HT k. destruct (rung_range T v HT) as (RT & Rv).
  assert (Hk : (0 <= k)%Z) by (unfold k; lia). assert (L := least_above T v k RT Hk).
  destruct (certificate_test T v k) as (factor, least) eqn:Test. cbn [snd] in L.
  unfold certificate_test in Test. injection Test as Ef El. unfold certificate_suffices. intros S.
  apply Z.geb_le, IZR_le in S. rewrite minus_IZR, mult_IZR, plus_IZR in S.
  assert (Efac : IZR factor = (IZR k + 1) * pow (T + 11 - v)).
  { rewrite <- Ef, Z.shiftl_mul_pow2, mult_IZR, <- pow_IZR, plus_IZR by lia. reflexivity. }
  rewrite Efac in S.
  assert (A := lambda_above E F entries H). assert (B := mu_above E F entries H). assert (X := x_below E F entries H).
  assert (Er := scaled_error T E F (terms_of entries)). eapply Rle_trans; [exact Er|].
  unfold terms_of at 3. rewrite map_length, INR_IZR_INZ. fold k.
  set (sa := sum_a (terms_of entries)) in *. set (sb := sum_b (terms_of entries)) in *.
  set (M := magnitudes (terms_of entries)) in *. set (lam := IZR (lambda_of E entries)) in *.
  set (mu := IZR (mu_of F entries)) in *. set (x := IZR (x_of E F entries)) in *.
  assert (Pa : pow (T - E) * sa <= pow (T - 24) * lam).
  { replace (pow (T - E)) with (pow (T - 24) * pow (24 - E)) by (rewrite <- bpow_plus; f_equal; lia).
    rewrite Rmult_assoc, (Rmult_comm (pow (24 - E))). apply Rmult_le_compat_l; [apply bpow_ge_0 | exact A]. }
  assert (Pb : pow (T - F) * sb <= pow (T - 24) * mu).
  { replace (pow (T - F)) with (pow (T - 24) * pow (24 - F)) by (rewrite <- bpow_plus; f_equal; lia).
    rewrite Rmult_assoc, (Rmult_comm (pow (24 - F))). apply Rmult_le_compat_l; [apply bpow_ge_0 | exact B]. }
  assert (Pt : pow (T - 24) * (lam + mu + IZR k * pow (23 - T)) <= pow (T - 24) * ((IZR k + 1) * pow (T + 11 - v) * x)).
  { apply Rmult_le_compat_l; [apply bpow_ge_0 | lra]. }
  assert (E1 : pow (T - 24) * (IZR k * pow (23 - T)) = IZR k / 2).
  { replace (pow (T - 24) * (IZR k * pow (23 - T))) with (IZR k * (pow (T - 24) * pow (23 - T))) by ring.
    rewrite <- bpow_plus. replace (T - 24 + (23 - T))%Z with (-1)%Z by lia. reflexivity. }
  assert (K1 : 0 <= IZR k + 1) by (apply IZR_le in Hk; lra).
  assert (Px : (IZR k + 1) * pow (2 * T - 13 - v) * x <= (IZR k + 1) * pow (2 * T - 13 - v) * (M * pow (14 - E - F))).
  { apply Rmult_le_compat_l; [apply Rmult_le_pos; [exact K1 | apply bpow_ge_0] | exact X]. }
  assert (E2 : pow (T - 24) * ((IZR k + 1) * pow (T + 11 - v) * x) = (IZR k + 1) * pow (2 * T - 13 - v) * x).
  { replace (pow (2 * T - 13 - v)) with (pow (T - 24) * pow (T + 11 - v)) by (rewrite <- bpow_plus; f_equal; lia). ring. }
  assert (E3 : (IZR k + 1) * pow (- v) * M =
    / 2 * ((IZR k + 1) * pow (2 * T - 13 - v) * (M * pow (14 - E - F))) * pow (E + F - 2 * T)).
  { replace (pow (- v)) with (pow (-1) * pow (2 * T - 13 - v) * pow (14 - E - F) * pow (E + F - 2 * T)).
    - change (pow (-1)) with (/ 2). ring.
    - rewrite <- !bpow_plus. f_equal. lia. }
  rewrite E3. apply Rmult_le_compat_r; [apply bpow_ge_0|]. lra.
Qed.

(* One rounding of a component. A real result has alpha2 = 0. *)
Lemma rounded_component (emin prec : Z) (k M1 M2 r1 r2 s1 s2 alpha1 alpha2 addend : R) : (1 < prec)%Z ->
  let u := pow (- prec) in
  0 <= k -> (k + 1) * u <= 1 -> Rabs r1 <= M1 -> Rabs r2 <= M2 ->
  Rabs (s1 - r1) <= (k + 1) * u * M1 -> Rabs (s2 - r2) <= (k + 1) * u * M2 ->
  Rabs (round radix2 (FLT_exp emin prec) ZnearestE (alpha1 * s1 + alpha2 * s2 + addend) - (alpha1 * r1 + alpha2 * r2 + addend)) <=
  (k + 3) * u * (Rabs alpha1 * M1 + Rabs alpha2 * M2 + Rabs addend) + pow emin.
Proof.
  intros Hp u Hk Hu R1 R2 S1 S2. set (z := alpha1 * s1 + alpha2 * s2 + addend).
  destruct (Relative.error_N_FLT radix2 emin prec ltac:(lia) (fun x => negb (Z.even x)) z) as (eps & eta & He & Ht & _ & E).
  rewrite E.
  assert (Eu : / 2 * pow (- prec + 1) = u).
  { rewrite bpow_plus. simpl (pow 1). unfold u. lra. }
  rewrite Eu in He. assert (U : 0 < u) by apply bpow_gt_0. assert (Pe : 0 < pow emin) by apply bpow_gt_0.
  assert (P1 := Rabs_pos alpha1). assert (P2 := Rabs_pos alpha2). assert (P3 := Rabs_pos addend).
  assert (Q1 : 0 <= M1) by (assert (P := Rabs_pos r1); lra). assert (Q2 : 0 <= M2) by (assert (P := Rabs_pos r2); lra).
  assert (D1 : Rabs (alpha1 * (s1 - r1)) <= (k + 1) * u * (Rabs alpha1 * M1)).
  { rewrite Rabs_mult. replace ((k + 1) * u * (Rabs alpha1 * M1)) with (Rabs alpha1 * ((k + 1) * u * M1)) by ring.
    now apply Rmult_le_compat_l. }
  assert (D2 : Rabs (alpha2 * (s2 - r2)) <= (k + 1) * u * (Rabs alpha2 * M2)).
  { rewrite Rabs_mult. replace ((k + 1) * u * (Rabs alpha2 * M2)) with (Rabs alpha2 * ((k + 1) * u * M2)) by ring.
    now apply Rmult_le_compat_l. }
  assert (Z1 : Rabs (alpha1 * r1) <= Rabs alpha1 * M1) by (rewrite Rabs_mult; now apply Rmult_le_compat_l).
  assert (Z2 : Rabs (alpha2 * r2) <= Rabs alpha2 * M2) by (rewrite Rabs_mult; now apply Rmult_le_compat_l).
  set (A1 := Rabs alpha1 * M1) in *. set (A2 := Rabs alpha2 * M2) in *. set (A3 := Rabs addend) in *.
  assert (A1p : 0 <= A1) by (apply Rmult_le_pos; lra). assert (A2p : 0 <= A2) by (apply Rmult_le_pos; lra).
  assert (Zd : Rabs (z - (alpha1 * r1 + alpha2 * r2 + addend)) <= (k + 1) * u * (A1 + A2)).
  { replace (z - (alpha1 * r1 + alpha2 * r2 + addend)) with (alpha1 * (s1 - r1) + alpha2 * (s2 - r2)) by (unfold z; ring).
    eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (Zz : Rabs z <= (k + 1) * u * (A1 + A2) + (A1 + A2 + A3)).
  { replace z with ((z - (alpha1 * r1 + alpha2 * r2 + addend)) + (alpha1 * r1 + alpha2 * r2 + addend)) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [exact Zd|].
    eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [|apply Rle_refl].
    eapply Rle_trans; [apply Rabs_triang|]. lra. }
  assert (W : (k + 1) * u * (A1 + A2) <= A1 + A2).
  { rewrite <- (Rmult_1_l (A1 + A2)) at 2. apply Rmult_le_compat_r; lra. }
  replace (z * (1 + eps) + eta - (alpha1 * r1 + alpha2 * r2 + addend))
    with ((z - (alpha1 * r1 + alpha2 * r2 + addend)) + eps * z + eta) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. eapply Rle_trans; [apply Rplus_le_compat_r, Rabs_triang|].
  rewrite (Rabs_mult eps). assert (Ez : Rabs eps * Rabs z <= u * (A1 + A2 + (A1 + A2 + A3))).
  { apply Rmult_le_compat; try apply Rabs_pos; lra. }
  assert (U3 : 0 <= k * u * A3) by (repeat apply Rmult_le_pos; try apply Rabs_pos; lra).
  assert (U4 : 0 <= u * A3) by (apply Rmult_le_pos; [lra | exact P3]). lra.
Qed.

(* The functions of the bounds are no smaller. *)
Lemma dp_bound_above (k : Z) : (0 <= k <= 1099511627776)%Z ->
  (IZR k + 3) * pow (-53) <= dp_bound k (pow (-53)) /\ (IZR k + 1) * pow (-53) <= certificate_bound k (pow (-53)) /\
  (IZR k + 3) * pow (-24) <= dp_bound k (pow (-24)) /\ (IZR k + 1) * pow (-24) <= certificate_bound k (pow (-24)).
Proof.
  intros Hk. assert (Ik : forall n e, (0 <= n <= 2199023255552)%Z -> (-1074 <= e)%Z -> rd64 (IZR n * pow e) = IZR n * pow e).
  { intros n e Hn He. apply rnd64_exact. apply generic_format_FLT. exists (Float radix2 n e); [reflexivity| |exact He].
    change (Z.abs n < 9007199254740992)%Z. lia. }
  assert (I0 : forall n, (0 <= n <= 2199023255552)%Z -> rd64 (IZR n) = IZR n).
  { intros n Hn. rewrite <- (Rmult_1_r (IZR n)). apply (Ik n 0%Z Hn). lia. }
  assert (Sl : 1 <= dp_slack).
  { unfold dp_slack. rewrite <- (I0 1%Z ltac:(lia)) at 1. apply rnd64_le. lra. }
  assert (Up : forall e, (-1074 <= e)%Z -> (IZR k + 3) * pow e <= dp_bound k (pow e)).
  { intros e He. unfold dp_bound. rewrite (I0 k) by lia. rewrite <- plus_IZR, (I0 (k + 3)%Z) by lia.
    rewrite (Ik (k + 3)%Z e) by lia. rewrite <- (Ik (k + 3)%Z e) at 1 by lia. apply rnd64_le.
    assert (P : 0 <= IZR (k + 3) * pow e) by (apply Rmult_le_pos; [apply IZR_le; lia | apply bpow_ge_0]). nra. }
  assert (Uc : forall e, (-1074 <= e)%Z -> (IZR k + 1) * pow e <= certificate_bound k (pow e)).
  { intros e He. unfold certificate_bound. rewrite (I0 k) by lia.
    replace (IZR k + IZR 2) with (IZR (k + 2)) by (rewrite plus_IZR; reflexivity). rewrite (I0 (k + 2)%Z) by lia.
    rewrite (Ik (k + 2)%Z e) by lia. rewrite plus_IZR. assert (P := bpow_ge_0 radix2 e). nra. }
  repeat split; (apply Up || apply Uc); lia.
Qed.

(* Theorem: the promise of dp and sp for a component of a result, whose sums s1 and s2 were accepted with k terms each:
   for doubles with k <= 2^40, for floats with k < 2^24. A real result has alpha2 = 0. *)
Theorem repro_promise (k : Z) (M1 M2 r1 r2 s1 s2 alpha1 alpha2 addend : R) : Rabs r1 <= M1 -> Rabs r2 <= M2 ->
  let size := Rabs alpha1 * M1 + Rabs alpha2 * M2 + Rabs addend in
  let exact := alpha1 * r1 + alpha2 * r2 + addend in let given := alpha1 * s1 + alpha2 * s2 + addend in
  ((0 <= k <= 1099511627776)%Z ->
   Rabs (s1 - r1) <= (IZR k + 1) * pow (-53) * M1 -> Rabs (s2 - r2) <= (IZR k + 1) * pow (-53) * M2 ->
   Rabs (rnd64 given - exact) <= dp_bound k (pow (-53)) * size + pow (-1074)) /\
  ((0 <= k <= 16777215)%Z ->
   Rabs (s1 - r1) <= (IZR k + 1) * pow (-24) * M1 -> Rabs (s2 - r2) <= (IZR k + 1) * pow (-24) * M2 ->
   Rabs (rnd32 given - exact) <= dp_bound k (pow (-24)) * size + pow (-149)).
Proof.
  intros R1 R2 size exact given.
  assert (P : 0 <= size).
  { assert (P1 := Rabs_pos r1). assert (P2 := Rabs_pos r2). assert (P3 := Rabs_pos addend). unfold size.
    assert (0 <= Rabs alpha1 * M1) by (apply Rmult_le_pos; [apply Rabs_pos | lra]).
    assert (0 <= Rabs alpha2 * M2) by (apply Rmult_le_pos; [apply Rabs_pos | lra]). lra. }
  split; intros Hk S1 S2; destruct (dp_bound_above k ltac:(lia)) as (B1 & _ & B2 & _).
  - assert (L : (IZR k + 1) * pow (-53) <= 1).
    { replace 1 with (IZR 9007199254740992 * pow (-53)) at 2 by (simpl; lra).
      apply Rmult_le_compat_r; [apply bpow_ge_0|]. rewrite <- plus_IZR. apply IZR_le. lia. }
    eapply Rle_trans; [apply (rounded_component (-1074) 53 (IZR k) M1 M2 r1 r2 s1 s2); auto; try lia; apply IZR_le; lia|].
    apply Rplus_le_compat_r. now apply Rmult_le_compat_r.
  - assert (L : (IZR k + 1) * pow (-24) <= 1).
    { replace 1 with (IZR 16777216 * pow (-24)) at 2 by (simpl; lra).
      apply Rmult_le_compat_r; [apply bpow_ge_0|]. rewrite <- plus_IZR. apply IZR_le. lia. }
    eapply Rle_trans; [apply (rounded_component (-149) 24 (IZR k) M1 M2 r1 r2 s1 s2); auto; try lia; apply IZR_le; lia|].
    apply Rplus_le_compat_r. now apply Rmult_le_compat_r.
Qed.
