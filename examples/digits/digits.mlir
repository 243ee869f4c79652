module @jit_network attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<360x8x8x1xbf16>, %arg1: tensor<3x3x1x16xbf16>, %arg2: tensor<16xbf16>, %arg3: tensor<3x3x16x32xbf16>, %arg4: tensor<32xbf16>, %arg5: tensor<512x10xbf16>, %arg6: tensor<10xbf16>) -> (tensor<360x10xbf16> {jax.result_info = "result"}) {
    %0 = stablehlo.convolution(%arg0, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<360x8x8x1xbf16>, tensor<3x3x1x16xbf16>) -> tensor<360x8x8x16xbf16>
    %1 = stablehlo.broadcast_in_dim %arg2, dims = [3] : (tensor<16xbf16>) -> tensor<1x1x1x16xbf16>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xbf16>) -> tensor<360x8x8x16xbf16>
    %3 = stablehlo.add %0, %2 : tensor<360x8x8x16xbf16>
    %4 = call @relu(%3) : (tensor<360x8x8x16xbf16>) -> tensor<360x8x8x16xbf16>
    %5 = stablehlo.convolution(%4, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<360x8x8x16xbf16>, tensor<3x3x16x32xbf16>) -> tensor<360x4x4x32xbf16>
    %6 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<32xbf16>) -> tensor<1x1x1x32xbf16>
    %7 = stablehlo.broadcast_in_dim %6, dims = [0, 1, 2, 3] : (tensor<1x1x1x32xbf16>) -> tensor<360x4x4x32xbf16>
    %8 = stablehlo.add %5, %7 : tensor<360x4x4x32xbf16>
    %9 = call @relu_0(%8) : (tensor<360x4x4x32xbf16>) -> tensor<360x4x4x32xbf16>
    %10 = stablehlo.reshape %9 : (tensor<360x4x4x32xbf16>) -> tensor<360x512xbf16>
    %11 = stablehlo.dot_general %10, %arg5, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<360x512xbf16>, tensor<512x10xbf16>) -> tensor<360x10xbf16>
    %12 = stablehlo.broadcast_in_dim %arg6, dims = [1] : (tensor<10xbf16>) -> tensor<1x10xbf16>
    %13 = stablehlo.broadcast_in_dim %12, dims = [0, 1] : (tensor<1x10xbf16>) -> tensor<360x10xbf16>
    %14 = stablehlo.add %11, %13 : tensor<360x10xbf16>
    return %14 : tensor<360x10xbf16>
  }
  func.func private @relu(%arg0: tensor<360x8x8x16xbf16>) -> tensor<360x8x8x16xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<360x8x8x16xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<360x8x8x16xbf16>
    return %1 : tensor<360x8x8x16xbf16>
  }
  func.func private @relu_0(%arg0: tensor<360x4x4x32xbf16>) -> tensor<360x4x4x32xbf16> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<bf16>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<bf16>) -> tensor<360x4x4x32xbf16>
    %1 = stablehlo.maximum %arg0, %0 : tensor<360x4x4x32xbf16>
    return %1 : tensor<360x4x4x32xbf16>
  }
}
