module @jit_conv_bias_relu attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<1x15x15x8xbf16>, %arg1: tensor<3x3x8x16xbf16>, %arg2: tensor<16xbf16>) -> (tensor<1x8x8x16xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x15x15x8xbf16>, tensor<3x3x8x16xbf16>) -> tensor<1x8x8x16xbf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<16xbf16>) -> tensor<1x1x1x16xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xbf16>) -> tensor<1x8x8x16xbf16>
    %3 = stablehlo.add %0, %2 : tensor<1x8x8x16xbf16>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %4 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<1x8x8x16xbf16>
    %5 = stablehlo.maximum %3, %4 : tensor<1x8x8x16xbf16>
    return %5 : tensor<1x8x8x16xbf16>
  }
}
