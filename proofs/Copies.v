(* The certificate's test in kernels: vectors of doubles (lib/cpu) and GPUs compute what certificate_suffices says. *)
From Coq Require Import ZArith Reals Lra Lia Bool Psatz.
From Flocq Require Import Core.
From Proofs Require Import Semantics Facts Floats CertificateSource Certificate CopiesSource.

Open Scope R_scope.

Notation exact_integers := 9007199254740992%Z.

Lemma rd64_whole (n : Z) : (Z.abs n <= exact_integers)%Z -> rd64 (IZR n) = IZR n.
Proof.
  intros H. destruct (Z.eq_dec (Z.abs n) exact_integers) as [E|E]; [|apply rd64_integer; change (2 ^ 53)%Z with exact_integers; lia].
  assert (F : format64 (bpow radix2 53)) by (apply format64_bpow; lia). change (bpow radix2 53) with (IZR exact_integers) in F. apply rnd64_exact.
  destruct (Z.abs_eq_or_opp n) as [Q|Q]; rewrite Q in E; [now rewrite E | replace n with (- exact_integers)%Z by lia; rewrite opp_IZR; now apply format64_opp].
Qed.

(* A rounded integer passes the same tests as the integer. *)
Lemma rounded_test (z least : Z) : (0 <= least <= exact_integers)%Z -> Rle_bool (IZR least) (rd64 (IZR z)) = (z >=? least)%Z.
Proof.
  intros H. assert (L := rd64_whole least ltac:(lia)). rewrite Z.geb_leb. destruct (Z.leb_spec least z) as [C|C].
  - apply Rle_bool_true. rewrite <- L. apply rnd64_le, IZR_le. exact C.
  - apply Rle_bool_false. destruct (Z.le_gt_cases (- exact_integers) z) as [B|B].
    + rewrite rd64_whole by lia. now apply IZR_lt.
    + assert (Q : rd64 (IZR z) <= rd64 (IZR (- exact_integers))) by (apply rnd64_le, IZR_le; lia). rewrite (rd64_whole (- exact_integers)) in Q by lia.
      eapply Rle_lt_trans; [exact Q|]. apply IZR_lt. lia.
Qed.

Lemma rd64_scaled_integer (n s : Z) : (Z.abs n < exact_integers)%Z -> (0 <= s)%Z -> rd64 (IZR (n * 2 ^ s)) = IZR (n * 2 ^ s).
Proof.
  intros Hn Hs. apply rnd64_exact, generic_format_FLT. exists (Float radix2 n s); [unfold F2R; cbn [Fnum Fexp]; now rewrite mult_IZR, (IZR_Zpower radix2) by lia | exact Hn | cbn [Fexp]; lia].
Qed.

(* The constants of the test. *)
Lemma constants_value (T v k : Z) : is_rung certificate_rungs64 T v \/ is_rung certificate_rungs32 T v -> (0 <= k)%Z ->
  let (factor, least) := certificate_test T v k in factor = ((k + 1) * 2 ^ (T + 11 - v))%Z /\ (0 <= T + 11 - v <= 27)%Z /\ (0 <= least <= 4 * k + 1)%Z.
Proof.
  intros HT Hk. destruct (rung_range T v HT) as (RT & Rv). unfold certificate_test. cbv zeta.
  assert (Hs : (0 <= T + 11 - v <= 27)%Z) by (destruct HT as [(-> & H)|(-> & H)]; simpl in H; lia). split; [now rewrite Z.shiftl_mul_pow2 by lia|]. split; [exact Hs|].
  rewrite Z.geb_leb. change (wraps 64 1) with 1%Z. destruct (Z.leb_spec 0 (T - 23)) as [S|S].
  - rewrite Z.shiftl_1_l, Z.shiftr_div_pow2 by lia. assert (P : (0 < 2 ^ (T - 23))%Z) by (apply Z.pow_pos_nonneg; lia). split; [apply Z.div_pos; lia|].
    apply Z.lt_succ_r, Z.div_lt_upper_bound; [lia|]. nia.
  - rewrite Z.shiftl_mul_pow2 by lia. assert (T = 21 \/ T = 22)%Z by lia. assert (P : (0 < 2 ^ (- (T - 23)) <= 4)%Z) by (destruct H as [->| ->]; simpl; lia). nia.
Qed.

(* Theorem: the kernels of the CPU accept a sum X exactly if certificate_suffices does, for the calls that they serve: k <= most_terms_in_doubles. *)
Theorem certificate_copies_cpu (T v k lambda x : Z) (sums mus : Z -> Z) (c : Z) : is_rung certificate_rungs64 T v \/ is_rung certificate_rungs32 T v -> (0 <= k <= most_terms_in_doubles)%Z ->
  (0 <= lambda <= k * 2 ^ 24)%Z -> (0 <= mus c <= k * 2 ^ 24)%Z -> (0 <= sums c < 2 ^ 31)%Z ->
  let test := certificate_test T v k in let accepted := certificate_suffices (fst test) (snd test) (lambda + mus c) (sums c) in
  let '(factor, least) := constants_of_kernel test in
  portable_accepts factor (IZR lambda) least sums (fun i => IZR (mus i)) c = accepted /\
  (forall sums_at mu_at sums_memory mu_memory, sums_memory (sums_at + c)%Z = sums c -> mu_memory (mu_at + c)%Z = IZR (mus c) ->
   let '(factor', lambda', least') := constants_of_lanes factor (IZR lambda) least in lane_accepts factor' lambda' least' sums_memory mu_memory sums_at mu_at c = accepted).
Proof.
  intros HT Hk Hl Hm Hx test accepted. change most_terms_in_doubles with 262144%Z in Hk. change (2 ^ 24)%Z with 16777216%Z in *. change (2 ^ 31)%Z with 2147483648%Z in *.
  assert (C := constants_value T v k HT ltac:(lia)). fold test in C. destruct test as (factor, least) eqn:Et. destruct C as (Ef & Hs & Hle). unfold constants_of_kernel. cbn [fst snd] in *.
  assert (F : rd64 (IZR factor) = IZR factor) by (rewrite Ef; apply rd64_scaled_integer; lia). rewrite F, (rd64_whole least) by lia.
  assert (Main : Rle_bool (IZR least) (rd64 (rd64 (IZR factor * rd64 (IZR (sums c))) - rd64 (IZR lambda + IZR (mus c)))) = accepted).
  { rewrite (rd64_whole (sums c)) by lia. rewrite <- plus_IZR, (rd64_whole (lambda + mus c)) by lia.
    assert (P : rd64 (IZR factor * IZR (sums c)) = IZR (factor * sums c)).
    { rewrite <- mult_IZR. replace (factor * sums c)%Z with ((k + 1) * sums c * 2 ^ (T + 11 - v))%Z by (rewrite Ef; ring). apply rd64_scaled_integer; [|lia]. rewrite Z.abs_eq by nia. nia. }
    rewrite P, <- minus_IZR. unfold accepted, certificate_suffices. apply rounded_test. lia. }
  split; [exact Main|]. intros sums_at mu_at sums_memory mu_memory E1 E2. unfold constants_of_lanes, lane_accepts, at_least, load_doubles, load. now rewrite E1, E2.
Qed.

(* Theorem: the test of GPUs accepts a sum X exactly if certificate_suffices does, in doubles where long_sums(k) is false and in 64-bit integers for k < 2^31. *)
Theorem certificate_copies_gpu (T v k lambda mu x i : Z) (list_t : Z -> Z) (rungs : Z -> R * R * Z * Z * Z) : is_rung certificate_rungs64 T v \/ is_rung certificate_rungs32 T v -> list_t i = T ->
  (0 <= k < 2 ^ 31)%Z -> (0 <= lambda <= k * 2 ^ 24)%Z -> (0 <= mu <= k * 2 ^ 24)%Z -> (0 <= x < 2 ^ 31)%Z ->
  let test := certificate_test T v k in let accepted := certificate_suffices (fst test) (snd test) (lambda + mu) x in
  let '(factor, least, integer_least, t, shift) := rung_of_test list_t rungs v k i i in
  t = T /\ (long_sums k = false -> suffices_short factor least integer_least shift (IZR lambda) (IZR mu) x k = accepted) /\
  suffices_long factor least integer_least shift (IZR lambda) (IZR mu) x k = accepted /\
  (x * (k + 1) < 2 ^ 63)%Z /\ (0 <= lambda + mu + integer_least + (2 ^ shift - 1) < 2 ^ 63)%Z.
Proof.
  intros HT Et Hk Hl Hm Hx test accepted. unfold rung_of_test, update. rewrite Z.eqb_refl, Et. fold test. change (2 ^ 24)%Z with 16777216%Z in *. change (2 ^ 31)%Z with 2147483648%Z in *.
  assert (C := constants_value T v k HT ltac:(lia)). fold test in C. destruct test as (factor, least) eqn:Ec. destruct C as (Ef & Hs & Hle). cbn [fst snd] in *.
  assert (P27 : (1 <= 2 ^ (T + 11 - v) <= 2 ^ 27)%Z) by (split; [apply (Z.pow_le_mono_r 2 0); lia | apply Z.pow_le_mono_r; lia]). change (2 ^ 27)%Z with 134217728%Z in P27.
  assert (F : rd64 (IZR factor) = IZR factor) by (rewrite Ef; apply rd64_scaled_integer; lia). split; [reflexivity|]. split; [|split; [|split]].
  - intros Hlong. unfold long_sums in Hlong. change (Z.shiftl (wraps 64 1) 28) with 268435456%Z in Hlong. rewrite Z.gtb_ltb in Hlong. apply Z.ltb_ge in Hlong.
    unfold suffices_short, double_of_words. change (1127219200 =? 1127219200)%Z with true. cbv iota. rewrite (wrap_small 32 x) by (change (2 ^ 32)%Z with 4294967296%Z; lia).
    rewrite (rd64_whole 4503599627370496) by lia. replace (IZR 4503599627370496 + IZR x - IZR 4503599627370496) with (IZR x) by ring. rewrite (rd64_whole x) by lia. rewrite F, (rd64_whole least) by lia.
    rewrite <- (plus_IZR lambda), (rd64_whole (lambda + mu)) by lia. replace (IZR factor * IZR x + - IZR (lambda + mu)) with (IZR (factor * x - (lambda + mu))) by (rewrite minus_IZR, mult_IZR; ring).
    apply rounded_test. lia.
  - unfold suffices_long. rewrite !Ztrunc_IZR. change (wraps 64 1) with 1%Z. rewrite Z.shiftl_1_l, Z.shiftr_div_pow2 by lia. unfold accepted, certificate_suffices. rewrite Ef.
    set (p := (2 ^ (T + 11 - v))%Z) in *. rewrite !Z.geb_leb. set (b := (lambda + mu + least)%Z). assert (D := Z.div_mod (b + (p - 1)) p ltac:(lia)). assert (M := Z.mod_pos_bound (b + (p - 1)) p ltac:(lia)).
    set (q := ((b + (p - 1)) / p)%Z) in *. destruct (Z.leb_spec q (x * (k + 1))) as [A|A]; symmetry; [apply Z.leb_le | apply Z.leb_gt]; unfold b in *; nia.
  - change (2 ^ 63)%Z with 9223372036854775808%Z. nia.
  - change (2 ^ 63)%Z with 9223372036854775808%Z. lia.
Qed.
