// Made by scripts/operator_outputs.py from the registry of PyTorch; not edited by hand.

#include "analyze/operator_outputs.h"

namespace npuprof::analyze {
namespace {

constexpr OutputVariants kVariants[] = {
    {1, 1, "retain_grad"},
    {2, 1,
     "abs absolute acos acosh all angle any arange arccos arccosh arcsin arcsinh arctan arctanh "
     "asin asinh atan atanh bartlett_window bitwise_not blackman_window block_diag ceil "
     "chain_matmul column_stack conj_physical cos cosh deg2rad dequantize digamma dstack erf erfc "
     "erfinv exp exp2 expm1 eye fix floor frac hamming_window hann_window hardsigmoid hardswish "
     "hstack i0 int_repr inverse isinf isnan isneginf isposinf kaiser_window lgamma lift "
     "linalg_det linalg_eigvals linalg_inv linalg_matrix_exp linalg_multi_dot log log10 log1p log2 "
     "log_sigmoid logical_not median mish msort nanmedian neg negative nonzero ones "
     "q_per_channel_scales q_per_channel_zero_points rad2deg rand randn randperm reciprocal relu "
     "round row_stack rsqrt scalar_tensor sgn sigmoid sign signbit silu sin sinc sinh "
     "sparse_coo_tensor special_airy_ai special_bessel_j0 special_bessel_j1 special_bessel_y0 "
     "special_bessel_y1 special_digamma special_entr special_erf special_erfc special_erfcx "
     "special_erfinv special_exp2 special_expit special_expm1 special_gammaln special_i0 "
     "special_i0e special_i1 special_i1e special_log1p special_log_ndtr special_modified_bessel_i0 "
     "special_modified_bessel_i1 special_modified_bessel_k0 special_modified_bessel_k1 "
     "special_ndtr special_ndtri special_psi special_scaled_modified_bessel_k0 "
     "special_scaled_modified_bessel_k1 special_sinc special_spherical_bessel_j0 sqrt square tan "
     "tanh to_sparse to_sparse_csc to_sparse_csr trace trunc vstack zero zeros"},
    {3, 1,
     "adaptive_avg_pool2d adaptive_avg_pool3d arctan2 atan2 bartlett_window bernoulli bitwise_and "
     "bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor blackman_window bmm cat celu "
     "channel_shuffle cholesky cholesky_inverse clamp_max clamp_min clone complex concat "
     "concatenate copysign count_nonzero cudnn_grid_sampler diag div divide dot empty empty_like "
     "empty_strided eq eye fft_fftfreq fft_rfftfreq fill flip float_power floor_divide fmax fmin "
     "fmod full gcd ge gelu ger glu greater greater_equal gt hamming_window hann_window hardshrink "
     "heaviside hspmm hypot igamma igammac index inner kaiser_window kron lcm ldexp le leaky_relu "
     "less less_equal linalg_cholesky linalg_cond linalg_eigvalsh linalg_householder_product "
     "linalg_matmul linalg_matrix_power linalg_svdvals linalg_tensorinv logaddexp logaddexp2 "
     "logcumsumexp logical_and logical_or logical_xor logit lt masked_select matmul matrix_power "
     "max maximum min minimum mkldnn_adaptive_avg_pool2d mm mul multiply mv mvlgamma native_norm "
     "ne new_empty new_ones new_zeros nextafter norm not_equal nuclear_norm ones ones_like orgqr "
     "outer pixel_shuffle pixel_unshuffle poisson polar polygamma pow prelu prod rand rand_like "
     "randint randn randn_like random randperm range reflection_pad1d reflection_pad2d "
     "reflection_pad3d remainder repeat repeat_interleave replication_pad1d replication_pad2d "
     "replication_pad3d resize_as_sparse round set softshrink sparse_mask "
     "special_chebyshev_polynomial_t special_chebyshev_polynomial_u special_chebyshev_polynomial_v "
     "special_chebyshev_polynomial_w special_gammainc special_gammaincc "
     "special_hermite_polynomial_h special_hermite_polynomial_he special_laguerre_polynomial_l "
     "special_legendre_polynomial_p special_logit special_multigammaln special_polygamma "
     "special_round special_shifted_chebyshev_polynomial_t special_shifted_chebyshev_polynomial_u "
     "special_shifted_chebyshev_polynomial_v special_shifted_chebyshev_polynomial_w "
     "special_xlog1py special_xlogy special_zeta stack sum take to_mkldnn to_sparse to_sparse_bsc "
     "to_sparse_bsr tril triu true_divide vdot xlogy zeros zeros_like"},
    {3, 2, "frexp geqrf linalg_eig linalg_slogdet log_sigmoid_forward slogdet"},
    {4, 1,
     "add affine_grid_generator all amax amin any arange argmax argmin bernoulli bincount binomial "
     "cholesky_solve clamp clip constant_pad_nd copy copy_sparse_to_sparse cross cumprod cumsum "
     "dist div divide empty empty_quantized exponential frobenius_norm from_file full full_like "
     "geometric hamming_window hardtanh index_select kaiser_window lerp linalg_cross "
     "linalg_matrix_rank linalg_pinv linalg_solve linalg_tensorsolve linalg_vecdot linear linspace "
     "log_softmax logsumexp lu_solve masked_fill masked_scatter max_unpool2d mkldnn_linear "
     "mse_loss multilabel_margin_loss new_empty_strided new_full norm normal nuclear_norm "
     "quantize_per_tensor_dynamic rand randint randint_like randn random range resize resize_as "
     "roll rot90 rsub soft_margin_loss softmax softplus special_logsumexp sub subtract "
     "take_along_dim threshold to_padded_tensor tril_indices triu_indices unsafe_split "
     "unsafe_split_with_sizes upsample_nearest1d upsample_nearest2d upsample_nearest3d where"},
    {4, 2,
     "adaptive_max_pool2d adaptive_max_pool3d batch_norm_stats cummax cummin linalg_eigh "
     "linalg_inv_ex linalg_ldl_factor linalg_lu_factor linalg_qr qr"},
    {5, 1,
     "addcdiv addcmul argsort binary_cross_entropy bucketize cauchy conv_tbc diag_embed elu "
     "embedding_renorm fft_fft fft_fft2 fft_fftn fft_hfft fft_hfft2 fft_hfftn fft_ifft fft_ifft2 "
     "fft_ifftn fft_ihfft fft_ihfft2 fft_ihfftn fft_irfft fft_irfft2 fft_irfftn fft_rfft fft_rfft2 "
     "fft_rfftn gather glu_jvp hamming_window histc huber_loss index_fill index_put isin "
     "linalg_ldl_solve linalg_matrix_rank linalg_pinv log_normal logspace mean multinomial "
     "nan_to_num nanmean nansum norm normal prod put quantize_per_tensor randint randint_like "
     "random renorm scatter scatter_add select_scatter smooth_l1_loss sparse_resize "
     "sparse_resize_and_clear std sum tensordot uniform upsample_bicubic2d upsample_bilinear2d "
     "upsample_linear1d upsample_nearest2d upsample_trilinear3d var"},
    {5, 2,
     "aminmax linalg_cholesky_ex max median min mode multilabel_margin_loss_forward nanmedian "
     "native_dropout sort symeig"},
    {5, 3, "linalg_lu"},
    {6, 1,
     "addbmm addmm addmv addr as_strided_scatter baddbmm binary_cross_entropy_with_logits "
     "cudnn_affine_grid_generator diagonal_scatter diff embedding grid_sampler_2d grid_sampler_3d "
     "im2col index_add linalg_lu_solve linalg_matrix_norm linalg_norm linalg_solve_triangular "
     "linalg_vector_norm max_unpool3d mkldnn_reorder_conv2d_weight mkldnn_reorder_conv3d_weight "
     "nanquantile native_norm nll_loss nll_loss2d norm ormqr quantile quantize_per_channel scatter "
     "set sparse_sampled_addmm sspaddmm upsample_bicubic2d upsample_bilinear2d upsample_nearest3d"},
    {6, 2,
     "batch_norm_update_stats fractional_max_pool2d fractional_max_pool3d histogram kthvalue "
     "linalg_solve_ex sort std_mean var_mean"},
    {6, 3, "linalg_ldl_factor_ex linalg_lu_factor_ex linalg_svd svd"},
    {7, 1,
     "batch_norm_elemt col2im index_reduce mkldnn_max_pool2d mkldnn_max_pool3d multi_margin_loss "
     "quantized_max_pool1d quantized_max_pool2d rrelu_with_noise scatter_reduce searchsorted "
     "slice_scatter slow_conv3d slow_conv3d_forward thnn_conv2d upsample_trilinear3d"},
    {7, 2,
     "fake_quantize_per_tensor_affine_cachemask histogram nll_loss2d_forward nll_loss_forward topk "
     "triangular_solve"},
    {7, 3, "lu_unpack unique_consecutive unique_dim_consecutive"},
    {8, 1,
     "avg_pool2d avg_pool3d conv_depthwise3d cudnn_convolution_relu mkldnn_convolution "
     "slow_conv_dilated2d slow_conv_dilated3d"},
    {8, 2,
     "fake_quantize_per_channel_affine_cachemask max_pool2d_with_indices max_pool3d_with_indices"},
    {8, 3, "native_layer_norm unique_dim"},
    {8, 4, "linalg_lstsq"},
    {9, 1, "quantized_batch_norm segment_reduce slow_conv_transpose2d slow_conv_transpose3d"},
    {10, 1,
     "convolution convolution_overrideable cudnn_convolution cudnn_convolution_add_relu "
     "miopen_convolution miopen_depthwise_convolution"},
    {10, 2, "batch_norm_gather_stats batch_norm_gather_stats_with_counts"},
    {11, 1, "cudnn_convolution_transpose miopen_convolution_transpose"},
    {11, 3, "miopen_batch_norm native_batch_norm native_group_norm"},
    {12, 4, "cudnn_batch_norm"},
    {19, 5, "miopen_rnn"},
};

}  // namespace

std::span<const OutputVariants> output_variants() { return kVariants; }

}  // namespace npuprof::analyze
