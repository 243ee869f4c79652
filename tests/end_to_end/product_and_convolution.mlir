module {
  func.func public @main(%arg0: tensor<13x75xf32>, %arg1: tensor<75x29xf32>, %arg2: tensor<1x9x7x5xbf16>, %arg3: tensor<3x3x5x19xbf16>) -> (tensor<13x29xf32>, tensor<1x5x4x19xbf16>) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<13x75xf32>, tensor<75x29xf32>) -> tensor<13x29xf32>
    %1 = stablehlo.convolution(%arg2, %arg3) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<1x9x7x5xbf16>, tensor<3x3x5x19xbf16>) -> tensor<1x5x4x19xbf16>
    return %0, %1 : tensor<13x29xf32>, tensor<1x5x4x19xbf16>
  }
}
