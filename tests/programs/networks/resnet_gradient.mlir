module @jit_resnet_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<3x3x16x16xf32>, %arg1: tensor<3x3x16x16xf32>, %arg2: tensor<3x3x16x24xf32>, %arg3: tensor<24x10xf32>, %arg4: tensor<16xf32>, %arg5: tensor<16xf32>, %arg6: tensor<16xf32>, %arg7: tensor<16xf32>, %arg8: tensor<16xf32>, %arg9: tensor<16xf32>, %arg10: tensor<24xf32>, %arg11: tensor<24xf32>, %arg12: tensor<1x1x16x24xf32>, %arg13: tensor<7x7x3x16xf32>, %arg14: tensor<2x32x32x3xf32>, %arg15: tensor<2xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<3x3x16x16xf32> {jax.result_info = "result[1]['conv1']"}, tensor<3x3x16x16xf32> {jax.result_info = "result[1]['conv2']"}, tensor<3x3x16x24xf32> {jax.result_info = "result[1]['conv3']"}, tensor<24x10xf32> {jax.result_info = "result[1]['head']"}, tensor<16xf32> {jax.result_info = "result[1]['norm0'][0]"}, tensor<16xf32> {jax.result_info = "result[1]['norm0'][1]"}, tensor<16xf32> {jax.result_info = "result[1]['norm1'][0]"}, tensor<16xf32> {jax.result_info = "result[1]['norm1'][1]"}, tensor<16xf32> {jax.result_info = "result[1]['norm2'][0]"}, tensor<16xf32> {jax.result_info = "result[1]['norm2'][1]"}, tensor<24xf32> {jax.result_info = "result[1]['norm3'][0]"}, tensor<24xf32> {jax.result_info = "result[1]['norm3'][1]"}, tensor<1x1x16x24xf32> {jax.result_info = "result[1]['shortcut']"}, tensor<7x7x3x16xf32> {jax.result_info = "result[1]['stem']"}) {
    %0 = stablehlo.convolution(%arg14, %arg13) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[2, 3], [2, 3]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x32x32x3xf32>, tensor<7x7x3x16xf32>) -> tensor<2x16x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<16xf32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %4:4 = call @_var(%0, %c) : (tensor<2x16x16x16xf32>, tensor<i32>) -> (tensor<16xf32>, tensor<2x16x16x16xf32>, tensor<f32>, tensor<i1>)
    %5 = stablehlo.broadcast_in_dim %3, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x16x16x16xf32>
    %7 = stablehlo.subtract %0, %6 : tensor<2x16x16x16xf32>
    %cst_1 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %9 = stablehlo.add %4#0, %8 : tensor<16xf32>
    %10 = stablehlo.rsqrt %9 : tensor<16xf32>
    %11 = stablehlo.divide %10, %9 : tensor<16xf32>
    %cst_2 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %13 = stablehlo.multiply %12, %11 : tensor<16xf32>
    %14 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x16x16x16xf32>
    %16 = stablehlo.multiply %7, %15 : tensor<2x16x16x16xf32>
    %17 = stablehlo.broadcast_in_dim %arg4, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %18 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x16x16x16xf32>
    %19 = stablehlo.multiply %16, %18 : tensor<2x16x16x16xf32>
    %20 = stablehlo.broadcast_in_dim %arg5, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x16x16x16xf32>
    %22 = stablehlo.add %19, %21 : tensor<2x16x16x16xf32>
    %23 = call @relu(%22) : (tensor<2x16x16x16xf32>) -> tensor<2x16x16x16xf32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %24 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<2x16x16x16xf32>
    %25 = stablehlo.compare GT, %22, %24, FLOAT : (tensor<2x16x16x16xf32>, tensor<2x16x16x16xf32>) -> tensor<2x16x16x16xi1>
    %cst_4 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_4, dims = [] : (tensor<f32>) -> tensor<f32>
    %27 = "stablehlo.reduce_window"(%23, %26) <{base_dilations = array<i64: 1, 1, 1, 1>, padding = dense<[[0, 0], [0, 1], [0, 1], [0, 0]]> : tensor<4x2xi64>, window_dilations = array<i64: 1, 1, 1, 1>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %261 = stablehlo.maximum %arg16, %arg17 : tensor<f32>
      stablehlo.return %261 : tensor<f32>
    }) : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<2x8x8x16xf32>
    %28 = stablehlo.convolution(%27, %arg0) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %29 = stablehlo.reduce(%28 init: %cst_5) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_6 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %31 = stablehlo.divide %29, %30 : tensor<16xf32>
    %c_7 = stablehlo.constant dense<0> : tensor<i32>
    %32:4 = call @_var_0(%28, %c_7) : (tensor<2x8x8x16xf32>, tensor<i32>) -> (tensor<16xf32>, tensor<2x8x8x16xf32>, tensor<f32>, tensor<i1>)
    %33 = stablehlo.broadcast_in_dim %31, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %34 = stablehlo.broadcast_in_dim %33, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %35 = stablehlo.subtract %28, %34 : tensor<2x8x8x16xf32>
    %cst_8 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %37 = stablehlo.add %32#0, %36 : tensor<16xf32>
    %38 = stablehlo.rsqrt %37 : tensor<16xf32>
    %39 = stablehlo.divide %38, %37 : tensor<16xf32>
    %cst_9 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %40 = stablehlo.broadcast_in_dim %cst_9, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %41 = stablehlo.multiply %40, %39 : tensor<16xf32>
    %42 = stablehlo.broadcast_in_dim %38, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %43 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %44 = stablehlo.multiply %35, %43 : tensor<2x8x8x16xf32>
    %45 = stablehlo.broadcast_in_dim %arg6, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %46 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %47 = stablehlo.multiply %44, %46 : tensor<2x8x8x16xf32>
    %48 = stablehlo.broadcast_in_dim %arg7, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %49 = stablehlo.broadcast_in_dim %48, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %50 = stablehlo.add %47, %49 : tensor<2x8x8x16xf32>
    %51 = call @relu_1(%50) : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %52 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<2x8x8x16xf32>
    %53 = stablehlo.compare GT, %50, %52, FLOAT : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xi1>
    %54 = stablehlo.convolution(%51, %arg1) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %55 = stablehlo.reduce(%54 init: %cst_11) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_12 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %57 = stablehlo.divide %55, %56 : tensor<16xf32>
    %c_13 = stablehlo.constant dense<0> : tensor<i32>
    %58:4 = call @_var_0(%54, %c_13) : (tensor<2x8x8x16xf32>, tensor<i32>) -> (tensor<16xf32>, tensor<2x8x8x16xf32>, tensor<f32>, tensor<i1>)
    %59 = stablehlo.broadcast_in_dim %57, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %60 = stablehlo.broadcast_in_dim %59, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %61 = stablehlo.subtract %54, %60 : tensor<2x8x8x16xf32>
    %cst_14 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %62 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %63 = stablehlo.add %58#0, %62 : tensor<16xf32>
    %64 = stablehlo.rsqrt %63 : tensor<16xf32>
    %65 = stablehlo.divide %64, %63 : tensor<16xf32>
    %cst_15 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %66 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %67 = stablehlo.multiply %66, %65 : tensor<16xf32>
    %68 = stablehlo.broadcast_in_dim %64, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %69 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %70 = stablehlo.multiply %61, %69 : tensor<2x8x8x16xf32>
    %71 = stablehlo.broadcast_in_dim %arg8, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %72 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %73 = stablehlo.multiply %70, %72 : tensor<2x8x8x16xf32>
    %74 = stablehlo.broadcast_in_dim %arg9, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %76 = stablehlo.add %73, %75 : tensor<2x8x8x16xf32>
    %77 = stablehlo.add %27, %76 : tensor<2x8x8x16xf32>
    %78 = call @relu_1(%77) : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
    %cst_16 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %79 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<2x8x8x16xf32>
    %80 = stablehlo.compare GT, %77, %79, FLOAT : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xi1>
    %81 = stablehlo.convolution(%78, %arg2) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<3x3x16x24xf32>) -> tensor<2x4x4x24xf32>
    %cst_17 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %82 = stablehlo.reduce(%81 init: %cst_17) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %cst_18 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %84 = stablehlo.divide %82, %83 : tensor<24xf32>
    %c_19 = stablehlo.constant dense<0> : tensor<i32>
    %85:4 = call @_var_2(%81, %c_19) : (tensor<2x4x4x24xf32>, tensor<i32>) -> (tensor<24xf32>, tensor<2x4x4x24xf32>, tensor<f32>, tensor<i1>)
    %86 = stablehlo.broadcast_in_dim %84, dims = [3] : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %87 = stablehlo.broadcast_in_dim %86, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<2x4x4x24xf32>
    %88 = stablehlo.subtract %81, %87 : tensor<2x4x4x24xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %90 = stablehlo.add %85#0, %89 : tensor<24xf32>
    %91 = stablehlo.rsqrt %90 : tensor<24xf32>
    %92 = stablehlo.divide %91, %90 : tensor<24xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %94 = stablehlo.multiply %93, %92 : tensor<24xf32>
    %95 = stablehlo.broadcast_in_dim %91, dims = [3] : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %96 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<2x4x4x24xf32>
    %97 = stablehlo.multiply %88, %96 : tensor<2x4x4x24xf32>
    %98 = stablehlo.broadcast_in_dim %arg10, dims = [3] : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %99 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<2x4x4x24xf32>
    %100 = stablehlo.multiply %97, %99 : tensor<2x4x4x24xf32>
    %101 = stablehlo.broadcast_in_dim %arg11, dims = [3] : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %102 = stablehlo.broadcast_in_dim %101, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<2x4x4x24xf32>
    %103 = stablehlo.add %100, %102 : tensor<2x4x4x24xf32>
    %104 = call @relu_4(%103) : (tensor<2x4x4x24xf32>) -> tensor<2x4x4x24xf32>
    %cst_22 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %105 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<2x4x4x24xf32>
    %106 = stablehlo.compare GT, %103, %105, FLOAT : (tensor<2x4x4x24xf32>, tensor<2x4x4x24xf32>) -> tensor<2x4x4x24xi1>
    %107 = stablehlo.convolution(%78, %arg12) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [2, 2], pad = [[0, 0], [0, 0]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<1x1x16x24xf32>) -> tensor<2x4x4x24xf32>
    %108 = stablehlo.add %104, %107 : tensor<2x4x4x24xf32>
    %cst_23 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %109 = stablehlo.reduce(%108 init: %cst_23) applies stablehlo.add across dimensions = [1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<2x24xf32>
    %cst_24 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %110 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %111 = stablehlo.divide %109, %110 : tensor<2x24xf32>
    %112 = stablehlo.dot_general %111, %arg3, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x24xf32>, tensor<24x10xf32>) -> tensor<2x10xf32>
    %c_25 = stablehlo.constant dense<10> : tensor<i32>
    %113 = call @remainder(%arg15, %c_25) : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
    %114:3 = call @log_softmax(%112) : (tensor<2x10xf32>) -> (tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x1xf32>)
    %115 = stablehlo.broadcast_in_dim %113, dims = [0] : (tensor<2xi32>) -> tensor<2x1xi32>
    %116:2 = call @take_along_axis(%114#0, %115) : (tensor<2x10xf32>, tensor<2x1xi32>) -> (tensor<2x1xf32>, tensor<2x1x1xi32>)
    %cst_26 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %117 = stablehlo.reduce(%116#0 init: %cst_26) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_27 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %118 = stablehlo.divide %117, %cst_27 : tensor<f32>
    %119 = stablehlo.negate %118 : tensor<f32>
    %cst_28 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %120 = stablehlo.negate %cst_28 : tensor<f32>
    %cst_29 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %121 = stablehlo.divide %120, %cst_29 : tensor<f32>
    %122 = stablehlo.broadcast_in_dim %121, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %123 = call @take_along_axis_6(%116#1, %122) : (tensor<2x1x1xi32>, tensor<2x1xf32>) -> tensor<2x10xf32>
    %124 = call @log_softmax_7(%114#1, %114#2, %123) : (tensor<2x10xf32>, tensor<2x1xf32>, tensor<2x10xf32>) -> tensor<2x10xf32>
    %125 = stablehlo.dot_general %124, %111, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<2x24xf32>) -> tensor<10x24xf32>
    %126 = stablehlo.transpose %125, dims = [1, 0] : (tensor<10x24xf32>) -> tensor<24x10xf32>
    %127 = stablehlo.dot_general %124, %arg3, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<2x10xf32>, tensor<24x10xf32>) -> tensor<2x24xf32>
    %cst_30 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %128 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<2x24xf32>
    %129 = stablehlo.divide %127, %128 : tensor<2x24xf32>
    %130 = stablehlo.broadcast_in_dim %129, dims = [0, 3] : (tensor<2x24xf32>) -> tensor<2x4x4x24xf32>
    %131 = stablehlo.convolution(%78, %130) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, -1], [0, -1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<2x4x4x24xf32>) -> tensor<1x1x16x24xf32>
    %132 = stablehlo.reverse %arg12, dims = [0, 1] : tensor<1x1x16x24xf32>
    %133 = stablehlo.convolution(%130, %132) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x24xf32>, tensor<1x1x16x24xf32>) -> tensor<2x8x8x16xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %134 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<2x4x4x24xf32>
    %135 = stablehlo.select %106, %130, %134 : tensor<2x4x4x24xi1>, tensor<2x4x4x24xf32>
    %cst_32 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %136 = stablehlo.reduce(%135 init: %cst_32) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %137 = stablehlo.reshape %136 : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %cst_33 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %138 = stablehlo.reduce(%137 init: %cst_33) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %139 = stablehlo.multiply %97, %135 : tensor<2x4x4x24xf32>
    %cst_34 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %140 = stablehlo.reduce(%139 init: %cst_34) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %141 = stablehlo.reshape %140 : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %142 = stablehlo.broadcast_in_dim %98, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<2x4x4x24xf32>
    %143 = stablehlo.multiply %135, %142 : tensor<2x4x4x24xf32>
    %cst_35 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %144 = stablehlo.reduce(%141 init: %cst_35) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %145 = stablehlo.multiply %88, %143 : tensor<2x4x4x24xf32>
    %cst_36 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %146 = stablehlo.reduce(%145 init: %cst_36) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %147 = stablehlo.reshape %146 : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %148 = stablehlo.broadcast_in_dim %95, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<2x4x4x24xf32>
    %149 = stablehlo.multiply %143, %148 : tensor<2x4x4x24xf32>
    %cst_37 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %150 = stablehlo.reduce(%147 init: %cst_37) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %151 = stablehlo.multiply %150, %94 : tensor<24xf32>
    %152 = stablehlo.negate %149 : tensor<2x4x4x24xf32>
    %cst_38 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %153 = stablehlo.reduce(%152 init: %cst_38) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %154 = stablehlo.reshape %153 : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %cst_39 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %155 = stablehlo.reduce(%154 init: %cst_39) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %156 = call @_var_8(%85#1, %85#2, %85#3, %151) : (tensor<2x4x4x24xf32>, tensor<f32>, tensor<i1>, tensor<24xf32>) -> tensor<2x4x4x24xf32>
    %157 = stablehlo.add %149, %156 : tensor<2x4x4x24xf32>
    %cst_40 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %158 = stablehlo.broadcast_in_dim %cst_40, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %159 = stablehlo.divide %155, %158 : tensor<24xf32>
    %160 = stablehlo.broadcast_in_dim %159, dims = [3] : (tensor<24xf32>) -> tensor<2x4x4x24xf32>
    %161 = stablehlo.add %157, %160 : tensor<2x4x4x24xf32>
    %162 = stablehlo.convolution(%78, %161) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[0, 1], [0, 1]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<2x4x4x24xf32>) -> tensor<3x3x16x24xf32>
    %163 = stablehlo.reverse %arg2, dims = [0, 1] : tensor<3x3x16x24xf32>
    %164 = stablehlo.convolution(%161, %163) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[2, 1], [2, 1]], lhs_dilate = [2, 2], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x4x4x24xf32>, tensor<3x3x16x24xf32>) -> tensor<2x8x8x16xf32>
    %165 = stablehlo.add %133, %164 : tensor<2x8x8x16xf32>
    %cst_41 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %166 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<2x8x8x16xf32>
    %167 = stablehlo.select %80, %165, %166 : tensor<2x8x8x16xi1>, tensor<2x8x8x16xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %168 = stablehlo.reduce(%167 init: %cst_42) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %169 = stablehlo.reshape %168 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_43 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %170 = stablehlo.reduce(%169 init: %cst_43) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %171 = stablehlo.multiply %70, %167 : tensor<2x8x8x16xf32>
    %cst_44 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %172 = stablehlo.reduce(%171 init: %cst_44) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %173 = stablehlo.reshape %172 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %174 = stablehlo.broadcast_in_dim %71, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %175 = stablehlo.multiply %167, %174 : tensor<2x8x8x16xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %176 = stablehlo.reduce(%173 init: %cst_45) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %177 = stablehlo.multiply %61, %175 : tensor<2x8x8x16xf32>
    %cst_46 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %178 = stablehlo.reduce(%177 init: %cst_46) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %179 = stablehlo.reshape %178 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %180 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %181 = stablehlo.multiply %175, %180 : tensor<2x8x8x16xf32>
    %cst_47 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %182 = stablehlo.reduce(%179 init: %cst_47) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %183 = stablehlo.multiply %182, %67 : tensor<16xf32>
    %184 = stablehlo.negate %181 : tensor<2x8x8x16xf32>
    %cst_48 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %185 = stablehlo.reduce(%184 init: %cst_48) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %186 = stablehlo.reshape %185 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_49 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_49) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %188 = call @_var_10(%58#1, %58#2, %58#3, %183) : (tensor<2x8x8x16xf32>, tensor<f32>, tensor<i1>, tensor<16xf32>) -> tensor<2x8x8x16xf32>
    %189 = stablehlo.add %181, %188 : tensor<2x8x8x16xf32>
    %cst_50 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %190 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %191 = stablehlo.divide %187, %190 : tensor<16xf32>
    %192 = stablehlo.broadcast_in_dim %191, dims = [3] : (tensor<16xf32>) -> tensor<2x8x8x16xf32>
    %193 = stablehlo.add %189, %192 : tensor<2x8x8x16xf32>
    %194 = stablehlo.convolution(%51, %193) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<3x3x16x16xf32>
    %195 = stablehlo.reverse %arg1, dims = [0, 1] : tensor<3x3x16x16xf32>
    %196 = stablehlo.convolution(%193, %195) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
    %cst_51 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %197 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<2x8x8x16xf32>
    %198 = stablehlo.select %53, %196, %197 : tensor<2x8x8x16xi1>, tensor<2x8x8x16xf32>
    %cst_52 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %199 = stablehlo.reduce(%198 init: %cst_52) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %200 = stablehlo.reshape %199 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_53 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %201 = stablehlo.reduce(%200 init: %cst_53) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %202 = stablehlo.multiply %44, %198 : tensor<2x8x8x16xf32>
    %cst_54 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %203 = stablehlo.reduce(%202 init: %cst_54) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %204 = stablehlo.reshape %203 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %205 = stablehlo.broadcast_in_dim %45, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %206 = stablehlo.multiply %198, %205 : tensor<2x8x8x16xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %207 = stablehlo.reduce(%204 init: %cst_55) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %208 = stablehlo.multiply %35, %206 : tensor<2x8x8x16xf32>
    %cst_56 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %209 = stablehlo.reduce(%208 init: %cst_56) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %210 = stablehlo.reshape %209 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %211 = stablehlo.broadcast_in_dim %42, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %212 = stablehlo.multiply %206, %211 : tensor<2x8x8x16xf32>
    %cst_57 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %213 = stablehlo.reduce(%210 init: %cst_57) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %214 = stablehlo.multiply %213, %41 : tensor<16xf32>
    %215 = stablehlo.negate %212 : tensor<2x8x8x16xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %216 = stablehlo.reduce(%215 init: %cst_58) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %217 = stablehlo.reshape %216 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_59 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %218 = stablehlo.reduce(%217 init: %cst_59) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %219 = call @_var_10(%32#1, %32#2, %32#3, %214) : (tensor<2x8x8x16xf32>, tensor<f32>, tensor<i1>, tensor<16xf32>) -> tensor<2x8x8x16xf32>
    %220 = stablehlo.add %212, %219 : tensor<2x8x8x16xf32>
    %cst_60 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %222 = stablehlo.divide %218, %221 : tensor<16xf32>
    %223 = stablehlo.broadcast_in_dim %222, dims = [3] : (tensor<16xf32>) -> tensor<2x8x8x16xf32>
    %224 = stablehlo.add %220, %223 : tensor<2x8x8x16xf32>
    %225 = stablehlo.convolution(%27, %224) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<2x8x8x16xf32>) -> tensor<3x3x16x16xf32>
    %226 = stablehlo.reverse %arg0, dims = [0, 1] : tensor<3x3x16x16xf32>
    %227 = stablehlo.convolution(%224, %226) dim_numbers = [b, 0, 1, f]x[0, 1, o, i]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x8x8x16xf32>, tensor<3x3x16x16xf32>) -> tensor<2x8x8x16xf32>
    %228 = stablehlo.add %167, %227 : tensor<2x8x8x16xf32>
    %cst_61 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %229 = stablehlo.pad %23, %cst_61, low = [0, 0, 0, 0], high = [0, 1, 1, 0], interior = [0, 0, 0, 0] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<2x17x17x16xf32>
    %cst_62 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %230 = "stablehlo.select_and_scatter"(%229, %228, %cst_62) <{padding = dense<0> : tensor<4x2xi64>, window_dimensions = array<i64: 1, 3, 3, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %261 = stablehlo.compare GE, %arg16, %arg17, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %261 : tensor<i1>
    }, {
    ^bb0(%arg16: tensor<f32>, %arg17: tensor<f32>):
      %261 = stablehlo.add %arg16, %arg17 : tensor<f32>
      stablehlo.return %261 : tensor<f32>
    }) : (tensor<2x17x17x16xf32>, tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<2x17x17x16xf32>
    %231 = stablehlo.slice %230 [0:2, 0:16, 0:16, 0:16] : (tensor<2x17x17x16xf32>) -> tensor<2x16x16x16xf32>
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_63, dims = [] : (tensor<f32>) -> tensor<2x16x16x16xf32>
    %233 = stablehlo.select %25, %231, %232 : tensor<2x16x16x16xi1>, tensor<2x16x16x16xf32>
    %cst_64 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %234 = stablehlo.reduce(%233 init: %cst_64) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %235 = stablehlo.reshape %234 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_65 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %236 = stablehlo.reduce(%235 init: %cst_65) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %237 = stablehlo.multiply %16, %233 : tensor<2x16x16x16xf32>
    %cst_66 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %238 = stablehlo.reduce(%237 init: %cst_66) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %239 = stablehlo.reshape %238 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %240 = stablehlo.broadcast_in_dim %17, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x16x16x16xf32>
    %241 = stablehlo.multiply %233, %240 : tensor<2x16x16x16xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %242 = stablehlo.reduce(%239 init: %cst_67) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %243 = stablehlo.multiply %7, %241 : tensor<2x16x16x16xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %244 = stablehlo.reduce(%243 init: %cst_68) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %245 = stablehlo.reshape %244 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %246 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x16x16x16xf32>
    %247 = stablehlo.multiply %241, %246 : tensor<2x16x16x16xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %248 = stablehlo.reduce(%245 init: %cst_69) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %249 = stablehlo.multiply %248, %13 : tensor<16xf32>
    %250 = stablehlo.negate %247 : tensor<2x16x16x16xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %251 = stablehlo.reduce(%250 init: %cst_70) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %252 = stablehlo.reshape %251 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %253 = stablehlo.reduce(%252 init: %cst_71) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %254 = call @_var_12(%4#1, %4#2, %4#3, %249) : (tensor<2x16x16x16xf32>, tensor<f32>, tensor<i1>, tensor<16xf32>) -> tensor<2x16x16x16xf32>
    %255 = stablehlo.add %247, %254 : tensor<2x16x16x16xf32>
    %cst_72 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_72, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %257 = stablehlo.divide %253, %256 : tensor<16xf32>
    %258 = stablehlo.broadcast_in_dim %257, dims = [3] : (tensor<16xf32>) -> tensor<2x16x16x16xf32>
    %259 = stablehlo.add %255, %258 : tensor<2x16x16x16xf32>
    %260 = stablehlo.convolution(%arg14, %259) dim_numbers = [f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f], window = {stride = [1, 1], pad = [[2, 3], [2, 3]], lhs_dilate = [1, 1], rhs_dilate = [2, 2], reverse = [false, false]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision DEFAULT>]} : (tensor<2x32x32x3xf32>, tensor<2x16x16x16xf32>) -> tensor<7x7x3x16xf32>
    return %119, %225, %194, %162, %126, %242, %236, %207, %201, %176, %170, %144, %138, %131, %260 : tensor<f32>, tensor<3x3x16x16xf32>, tensor<3x3x16x16xf32>, tensor<3x3x16x24xf32>, tensor<24x10xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<24xf32>, tensor<24xf32>, tensor<1x1x16x24xf32>, tensor<7x7x3x16xf32>
  }
  func.func private @_var(%arg0: tensor<2x16x16x16xf32>, %arg1: tensor<i32>) -> (tensor<16xf32>, tensor<2x16x16x16xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_0 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x16x16x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x16x16x16xf32>
    %6 = chlo.square %5 : tensor<2x16x16x16xf32> -> tensor<2x16x16x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x16x16x16xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<2x16x16x16xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %13 = stablehlo.divide %11, %12 : tensor<16xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = call @_where(%14, %13, %cst_5) : (tensor<i1>, tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    return %15, %8, %10, %14 : tensor<16xf32>, tensor<2x16x16x16xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<16xf32>, %arg2: tensor<f32>) -> tensor<16xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<16xf32>
    return %2 : tensor<16xf32>
  }
  func.func private @relu(%arg0: tensor<2x16x16x16xf32>) -> tensor<2x16x16x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x16x16x16xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x16x16x16xf32>
    return %1 : tensor<2x16x16x16xf32>
  }
  func.func private @_var_0(%arg0: tensor<2x8x8x16xf32>, %arg1: tensor<i32>) -> (tensor<16xf32>, tensor<2x8x8x16xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x16xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x16xf32>) -> tensor<2x8x8x16xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x8x8x16xf32>
    %6 = chlo.square %5 : tensor<2x8x8x16xf32> -> tensor<2x8x8x16xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x8x8x16xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<2x8x8x16xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %13 = stablehlo.divide %11, %12 : tensor<16xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = call @_where(%14, %13, %cst_5) : (tensor<i1>, tensor<16xf32>, tensor<f32>) -> tensor<16xf32>
    return %15, %8, %10, %14 : tensor<16xf32>, tensor<2x8x8x16xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @relu_1(%arg0: tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x8x8x16xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x8x8x16xf32>
    return %1 : tensor<2x8x8x16xf32>
  }
  func.func private @_var_2(%arg0: tensor<2x4x4x24xf32>, %arg1: tensor<i32>) -> (tensor<24xf32>, tensor<2x4x4x24xf32>, tensor<f32>, tensor<i1>) {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [3] : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %2 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x24xf32>
    %3 = stablehlo.divide %1, %2 : tensor<1x1x1x24xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2, 3] : (tensor<1x1x1x24xf32>) -> tensor<2x4x4x24xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x4x4x24xf32>
    %6 = chlo.square %5 : tensor<2x4x4x24xf32> -> tensor<2x4x4x24xf32>
    %cst_1 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %7 = stablehlo.broadcast_in_dim %cst_1, dims = [] : (tensor<f32>) -> tensor<2x4x4x24xf32>
    %8 = stablehlo.multiply %7, %5 : tensor<2x4x4x24xf32>
    %9 = stablehlo.convert %arg1 : (tensor<i32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %10 = stablehlo.subtract %cst_2, %9 : tensor<f32>
    %cst_3 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%6 init: %cst_3) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %12 = stablehlo.broadcast_in_dim %10, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %13 = stablehlo.divide %11, %12 : tensor<24xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %14 = stablehlo.compare GT, %10, %cst_4, FLOAT : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %cst_5 = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %15 = call @_where_3(%14, %13, %cst_5) : (tensor<i1>, tensor<24xf32>, tensor<f32>) -> tensor<24xf32>
    return %15, %8, %10, %14 : tensor<24xf32>, tensor<2x4x4x24xf32>, tensor<f32>, tensor<i1>
  }
  func.func private @_where_3(%arg0: tensor<i1>, %arg1: tensor<24xf32>, %arg2: tensor<f32>) -> tensor<24xf32> {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %2 = stablehlo.select %arg0, %arg1, %1 : tensor<i1>, tensor<24xf32>
    return %2 : tensor<24xf32>
  }
  func.func private @relu_4(%arg0: tensor<2x4x4x24xf32>) -> tensor<2x4x4x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x4x4x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<2x4x4x24xf32>
    return %1 : tensor<2x4x4x24xf32>
  }
  func.func private @remainder(%arg0: tensor<2xi32>, %arg1: tensor<i32>) -> tensor<2xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where_5(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<2xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<2xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<2xi1>, tensor<2xi1>) -> tensor<2xi1>
    %12 = stablehlo.and %11, %6 : tensor<2xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<2xi32>
    %14 = stablehlo.add %4, %13 : tensor<2xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<2xi1>, tensor<2xi32>
    return %15 : tensor<2xi32>
  }
  func.func private @_where_5(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @log_softmax(%arg0: tensor<2x10xf32>) -> (tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<2xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<2x10xf32>
    %6 = stablehlo.exponential %5 : tensor<2x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<2xf32>) -> tensor<2x1xf32>
    %9 = stablehlo.log %8 : tensor<2x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<2x1xf32>) -> tensor<2x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<2x10xf32>
    return %11, %6, %8 : tensor<2x10xf32>, tensor<2x10xf32>, tensor<2x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<2x10xf32>, %arg1: tensor<2x1xi32>) -> (tensor<2x1xf32>, tensor<2x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<2x1xi32>, tensor<2x1xi32>) -> tensor<2x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<2x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<2x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<2x1xi1>, tensor<2x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<2x1xi32>) -> tensor<2x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<2x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<2x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<2x1x1xi32>, tensor<2x1x1xi32>) -> tensor<2x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<2x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<2x1x1xi1>, tensor<i1>) -> tensor<2x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<2x10xf32>, tensor<2x1x1xi32>) -> tensor<2x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<2x1xi1>, tensor<2x1xf32>
    return %15, %5 : tensor<2x1xf32>, tensor<2x1x1xi32>
  }
  func.func private @take_along_axis_6(%arg0: tensor<2x1x1xi32>, %arg1: tensor<2x1xf32>) -> tensor<2x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<2x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<2x10xf32>, tensor<2x1x1xi32>, tensor<2x1xf32>) -> tensor<2x10xf32>
    return %1 : tensor<2x10xf32>
  }
  func.func private @log_softmax_7(%arg0: tensor<2x10xf32>, %arg1: tensor<2x1xf32>, %arg2: tensor<2x10xf32>) -> tensor<2x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<2x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<2x10xf32>, tensor<f32>) -> tensor<2xf32>
    %2 = stablehlo.reshape %1 : (tensor<2xf32>) -> tensor<2x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<2x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<2x1xf32>, tensor<f32>) -> tensor<2xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<2xf32>) -> tensor<2x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<2x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<2x10xf32>
    return %7 : tensor<2x10xf32>
  }
  func.func private @_var_8(%arg0: tensor<2x4x4x24xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<24xf32>) -> tensor<2x4x4x24xf32> {
    %0 = call @_where_9(%arg2, %arg3) : (tensor<i1>, tensor<24xf32>) -> tensor<24xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %2 = stablehlo.divide %0, %1 : tensor<24xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<24xf32>) -> tensor<2x4x4x24xf32>
    %4 = stablehlo.multiply %3, %arg0 : tensor<2x4x4x24xf32>
    %5 = stablehlo.negate %4 : tensor<2x4x4x24xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x4x4x24xf32>, tensor<f32>) -> tensor<24xf32>
    %7 = stablehlo.reshape %6 : (tensor<24xf32>) -> tensor<1x1x1x24xf32>
    %cst_0 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x24xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x1x1x24xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<24xf32>) -> tensor<2x4x4x24xf32>
    %12 = stablehlo.add %4, %11 : tensor<2x4x4x24xf32>
    return %12 : tensor<2x4x4x24xf32>
  }
  func.func private @_where_9(%arg0: tensor<i1>, %arg1: tensor<24xf32>) -> tensor<24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<24xf32>
    return %1 : tensor<24xf32>
  }
  func.func private @_var_10(%arg0: tensor<2x8x8x16xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<16xf32>) -> tensor<2x8x8x16xf32> {
    %0 = call @_where_11(%arg2, %arg3) : (tensor<i1>, tensor<16xf32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.divide %0, %1 : tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<16xf32>) -> tensor<2x8x8x16xf32>
    %4 = stablehlo.multiply %3, %arg0 : tensor<2x8x8x16xf32>
    %5 = stablehlo.negate %4 : tensor<2x8x8x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x8x8x16xf32>, tensor<f32>) -> tensor<16xf32>
    %7 = stablehlo.reshape %6 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_0 = stablehlo.constant dense<1.280000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x1x1x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<16xf32>) -> tensor<2x8x8x16xf32>
    %12 = stablehlo.add %4, %11 : tensor<2x8x8x16xf32>
    return %12 : tensor<2x8x8x16xf32>
  }
  func.func private @_where_11(%arg0: tensor<i1>, %arg1: tensor<16xf32>) -> tensor<16xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<i1>, tensor<16xf32>
    return %1 : tensor<16xf32>
  }
  func.func private @_var_12(%arg0: tensor<2x16x16x16xf32>, %arg1: tensor<f32>, %arg2: tensor<i1>, %arg3: tensor<16xf32>) -> tensor<2x16x16x16xf32> {
    %0 = call @_where_11(%arg2, %arg3) : (tensor<i1>, tensor<16xf32>) -> tensor<16xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.divide %0, %1 : tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [3] : (tensor<16xf32>) -> tensor<2x16x16x16xf32>
    %4 = stablehlo.multiply %3, %arg0 : tensor<2x16x16x16xf32>
    %5 = stablehlo.negate %4 : tensor<2x16x16x16xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %6 = stablehlo.reduce(%5 init: %cst) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<2x16x16x16xf32>, tensor<f32>) -> tensor<16xf32>
    %7 = stablehlo.reshape %6 : (tensor<16xf32>) -> tensor<1x1x1x16xf32>
    %cst_0 = stablehlo.constant dense<5.120000e+02> : tensor<f32>
    %8 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<1x1x1x16xf32>
    %9 = stablehlo.divide %7, %8 : tensor<1x1x1x16xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %10 = stablehlo.reduce(%9 init: %cst_1) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<1x1x1x16xf32>, tensor<f32>) -> tensor<16xf32>
    %11 = stablehlo.broadcast_in_dim %10, dims = [3] : (tensor<16xf32>) -> tensor<2x16x16x16xf32>
    %12 = stablehlo.add %4, %11 : tensor<2x16x16x16xf32>
    return %12 : tensor<2x16x16x16xf32>
  }
}
