module @jit_transformer_gradient attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<128x32xf32>, %arg1: tensor<32x32xf32>, %arg2: tensor<32xf32>, %arg3: tensor<32xf32>, %arg4: tensor<32xf32>, %arg5: tensor<32xf32>, %arg6: tensor<32x32xf32>, %arg7: tensor<32x32xf32>, %arg8: tensor<32x128xf32>, %arg9: tensor<32x32xf32>, %arg10: tensor<128x32xf32>, %arg11: tensor<32x32xf32>, %arg12: tensor<32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32xf32>, %arg15: tensor<32xf32>, %arg16: tensor<32x32xf32>, %arg17: tensor<32x32xf32>, %arg18: tensor<32x128xf32>, %arg19: tensor<32x32xf32>, %arg20: tensor<32xf32>, %arg21: tensor<32xf32>, %arg22: tensor<12x32xf32>, %arg23: tensor<50x32xf32>, %arg24: tensor<3x12xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<128x32xf32> {jax.result_info = "result[1]['layers'][0]['down']"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][0]['k']"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][0]['norm1'][0]"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][0]['norm1'][1]"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][0]['norm2'][0]"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][0]['norm2'][1]"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][0]['o']"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][0]['q']"}, tensor<32x128xf32> {jax.result_info = "result[1]['layers'][0]['up']"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][0]['v']"}, tensor<128x32xf32> {jax.result_info = "result[1]['layers'][1]['down']"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][1]['k']"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][1]['norm1'][0]"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][1]['norm1'][1]"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][1]['norm2'][0]"}, tensor<32xf32> {jax.result_info = "result[1]['layers'][1]['norm2'][1]"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][1]['o']"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][1]['q']"}, tensor<32x128xf32> {jax.result_info = "result[1]['layers'][1]['up']"}, tensor<32x32xf32> {jax.result_info = "result[1]['layers'][1]['v']"}, tensor<32xf32> {jax.result_info = "result[1]['norm'][0]"}, tensor<32xf32> {jax.result_info = "result[1]['norm'][1]"}, tensor<12x32xf32> {jax.result_info = "result[1]['places']"}, tensor<50x32xf32> {jax.result_info = "result[1]['words']"}) {
    %c = stablehlo.constant dense<50> : tensor<i32>
    %0 = call @remainder(%arg24, %c) : (tensor<3x12xi32>, tensor<i32>) -> tensor<3x12xi32>
    %c_0 = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x12xi32>
    %2 = stablehlo.compare LT, %0, %1, SIGNED : (tensor<3x12xi32>, tensor<3x12xi32>) -> tensor<3x12xi1>
    %c_1 = stablehlo.constant dense<50> : tensor<i32>
    %3 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x12xi32>
    %4 = stablehlo.add %0, %3 : tensor<3x12xi32>
    %5 = stablehlo.select %2, %4, %0 : tensor<3x12xi1>, tensor<3x12xi32>
    %6 = stablehlo.broadcast_in_dim %5, dims = [0, 1] : (tensor<3x12xi32>) -> tensor<3x12x1xi32>
    %7 = "stablehlo.gather"(%arg23, %6) <{dimension_numbers = #stablehlo.gather<offset_dims = [2], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 32>}> : (tensor<50x32xf32>, tensor<3x12x1xi32>) -> tensor<3x12x32xf32>
    %8 = stablehlo.broadcast_in_dim %arg22, dims = [1, 2] : (tensor<12x32xf32>) -> tensor<1x12x32xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x12x32xf32>) -> tensor<3x12x32xf32>
    %10 = stablehlo.add %7, %9 : tensor<3x12x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %11 = stablehlo.reduce(%10 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %12 = stablehlo.broadcast_in_dim %11, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_2 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %13 = stablehlo.broadcast_in_dim %cst_2, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %14 = stablehlo.divide %12, %13 : tensor<3x12x1xf32>
    %15 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %16 = stablehlo.subtract %10, %15 : tensor<3x12x32xf32>
    %17 = stablehlo.multiply %16, %16 : tensor<3x12x32xf32>
    %cst_3 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %18 = stablehlo.broadcast_in_dim %cst_3, dims = [] : (tensor<f32>) -> tensor<3x12x32xf32>
    %19 = stablehlo.multiply %18, %16 : tensor<3x12x32xf32>
    %cst_4 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %20 = stablehlo.reduce(%17 init: %cst_4) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %21 = stablehlo.broadcast_in_dim %20, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_5 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %22 = stablehlo.broadcast_in_dim %cst_5, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %23 = stablehlo.divide %21, %22 : tensor<3x12x1xf32>
    %24 = stablehlo.broadcast_in_dim %14, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %25 = stablehlo.subtract %10, %24 : tensor<3x12x32xf32>
    %cst_6 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %26 = stablehlo.broadcast_in_dim %cst_6, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %27 = stablehlo.add %23, %26 : tensor<3x12x1xf32>
    %28 = stablehlo.rsqrt %27 : tensor<3x12x1xf32>
    %29 = stablehlo.divide %28, %27 : tensor<3x12x1xf32>
    %cst_7 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %30 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %31 = stablehlo.multiply %30, %29 : tensor<3x12x1xf32>
    %32 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %33 = stablehlo.multiply %25, %32 : tensor<3x12x32xf32>
    %34 = stablehlo.broadcast_in_dim %arg2, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %35 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %36 = stablehlo.multiply %33, %35 : tensor<3x12x32xf32>
    %37 = stablehlo.broadcast_in_dim %arg3, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %38 = stablehlo.broadcast_in_dim %37, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %39 = stablehlo.add %36, %38 : tensor<3x12x32xf32>
    %40 = stablehlo.dot_general %39, %arg7, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %41 = stablehlo.reshape %40 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %42 = stablehlo.transpose %41, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %43 = stablehlo.dot_general %39, %arg1, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %44 = stablehlo.reshape %43 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %45 = stablehlo.transpose %44, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %46 = stablehlo.dot_general %39, %arg9, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %47 = stablehlo.reshape %46 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %48 = stablehlo.transpose %47, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %49 = stablehlo.dot_general %42, %45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x8xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x12xf32>
    %cst_8 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %50 = stablehlo.broadcast_in_dim %cst_8, dims = [] : (tensor<f32>) -> tensor<3x4x12x12xf32>
    %51 = stablehlo.divide %49, %50 : tensor<3x4x12x12xf32>
    %c_9 = stablehlo.constant dense<true> : tensor<i1>
    %52 = stablehlo.broadcast_in_dim %c_9, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %53 = call @tril(%52) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst_10 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %54:2 = call @_where_0(%53, %51, %cst_10) : (tensor<12x12xi1>, tensor<3x4x12x12xf32>, tensor<f32>) -> (tensor<3x4x12x12xf32>, tensor<3x4x12x12xi1>)
    %cst_11 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %55 = stablehlo.reduce(%54#0 init: %cst_11) applies stablehlo.maximum across dimensions = [3] : (tensor<3x4x12x12xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %cst_12 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %56 = stablehlo.broadcast_in_dim %cst_12, dims = [] : (tensor<f32>) -> tensor<3x4x12xf32>
    %57 = stablehlo.maximum %56, %55 : tensor<3x4x12xf32>
    %58 = stablehlo.broadcast_in_dim %57, dims = [0, 1, 2] : (tensor<3x4x12xf32>) -> tensor<3x4x12x1xf32>
    %59 = stablehlo.broadcast_in_dim %58, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %60 = stablehlo.subtract %54#0, %59 : tensor<3x4x12x12xf32>
    %61 = stablehlo.exponential %60 : tensor<3x4x12x12xf32>
    %cst_13 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %62 = stablehlo.reduce(%61 init: %cst_13) applies stablehlo.add across dimensions = [3] : (tensor<3x4x12x12xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %63 = stablehlo.broadcast_in_dim %62, dims = [0, 1, 2] : (tensor<3x4x12xf32>) -> tensor<3x4x12x1xf32>
    %64 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %65 = stablehlo.divide %61, %64 : tensor<3x4x12x12xf32>
    %66 = stablehlo.multiply %63, %63 : tensor<3x4x12x1xf32>
    %cst_14 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %67 = stablehlo.broadcast_in_dim %cst_14, dims = [] : (tensor<f32>) -> tensor<3x4x12x1xf32>
    %68 = stablehlo.divide %67, %66 : tensor<3x4x12x1xf32>
    %69 = stablehlo.dot_general %65, %48, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x12xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x8xf32>
    %70 = stablehlo.transpose %69, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %71 = stablehlo.reshape %70 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %72 = stablehlo.dot_general %71, %arg6, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %73 = stablehlo.add %10, %72 : tensor<3x12x32xf32>
    %cst_15 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %74 = stablehlo.reduce(%73 init: %cst_15) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %75 = stablehlo.broadcast_in_dim %74, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_16 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %76 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %77 = stablehlo.divide %75, %76 : tensor<3x12x1xf32>
    %78 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %79 = stablehlo.subtract %73, %78 : tensor<3x12x32xf32>
    %80 = stablehlo.multiply %79, %79 : tensor<3x12x32xf32>
    %cst_17 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %81 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<3x12x32xf32>
    %82 = stablehlo.multiply %81, %79 : tensor<3x12x32xf32>
    %cst_18 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %83 = stablehlo.reduce(%80 init: %cst_18) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %84 = stablehlo.broadcast_in_dim %83, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_19 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %86 = stablehlo.divide %84, %85 : tensor<3x12x1xf32>
    %87 = stablehlo.broadcast_in_dim %77, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %88 = stablehlo.subtract %73, %87 : tensor<3x12x32xf32>
    %cst_20 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %90 = stablehlo.add %86, %89 : tensor<3x12x1xf32>
    %91 = stablehlo.rsqrt %90 : tensor<3x12x1xf32>
    %92 = stablehlo.divide %91, %90 : tensor<3x12x1xf32>
    %cst_21 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %93 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %94 = stablehlo.multiply %93, %92 : tensor<3x12x1xf32>
    %95 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %96 = stablehlo.multiply %88, %95 : tensor<3x12x32xf32>
    %97 = stablehlo.broadcast_in_dim %arg4, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %98 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %99 = stablehlo.multiply %96, %98 : tensor<3x12x32xf32>
    %100 = stablehlo.broadcast_in_dim %arg5, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %101 = stablehlo.broadcast_in_dim %100, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %102 = stablehlo.add %99, %101 : tensor<3x12x32xf32>
    %103 = stablehlo.dot_general %102, %arg8, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x128xf32>) -> tensor<3x12x128xf32>
    %104 = stablehlo.multiply %103, %103 : tensor<3x12x128xf32>
    %105 = stablehlo.multiply %104, %103 : tensor<3x12x128xf32>
    %106 = stablehlo.multiply %103, %103 : tensor<3x12x128xf32>
    %cst_22 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %108 = stablehlo.multiply %107, %106 : tensor<3x12x128xf32>
    %cst_23 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %110 = stablehlo.multiply %109, %105 : tensor<3x12x128xf32>
    %111 = stablehlo.add %103, %110 : tensor<3x12x128xf32>
    %cst_24 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %112 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %113 = stablehlo.multiply %112, %111 : tensor<3x12x128xf32>
    %114 = stablehlo.tanh %113 : tensor<3x12x128xf32>
    %cst_25 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %116 = stablehlo.subtract %115, %114 : tensor<3x12x128xf32>
    %cst_26 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %117 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %118 = stablehlo.add %117, %114 : tensor<3x12x128xf32>
    %cst_27 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %119 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %120 = stablehlo.multiply %119, %118 : tensor<3x12x128xf32>
    %121 = stablehlo.multiply %103, %120 : tensor<3x12x128xf32>
    %122 = stablehlo.dot_general %121, %arg0, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x128xf32>, tensor<128x32xf32>) -> tensor<3x12x32xf32>
    %123 = stablehlo.add %73, %122 : tensor<3x12x32xf32>
    %cst_28 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %124 = stablehlo.reduce(%123 init: %cst_28) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %125 = stablehlo.broadcast_in_dim %124, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_29 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %127 = stablehlo.divide %125, %126 : tensor<3x12x1xf32>
    %128 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %129 = stablehlo.subtract %123, %128 : tensor<3x12x32xf32>
    %130 = stablehlo.multiply %129, %129 : tensor<3x12x32xf32>
    %cst_30 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<3x12x32xf32>
    %132 = stablehlo.multiply %131, %129 : tensor<3x12x32xf32>
    %cst_31 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %133 = stablehlo.reduce(%130 init: %cst_31) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %134 = stablehlo.broadcast_in_dim %133, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_32 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %135 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %136 = stablehlo.divide %134, %135 : tensor<3x12x1xf32>
    %137 = stablehlo.broadcast_in_dim %127, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %138 = stablehlo.subtract %123, %137 : tensor<3x12x32xf32>
    %cst_33 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %139 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %140 = stablehlo.add %136, %139 : tensor<3x12x1xf32>
    %141 = stablehlo.rsqrt %140 : tensor<3x12x1xf32>
    %142 = stablehlo.divide %141, %140 : tensor<3x12x1xf32>
    %cst_34 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %143 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %144 = stablehlo.multiply %143, %142 : tensor<3x12x1xf32>
    %145 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %146 = stablehlo.multiply %138, %145 : tensor<3x12x32xf32>
    %147 = stablehlo.broadcast_in_dim %arg12, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %148 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %149 = stablehlo.multiply %146, %148 : tensor<3x12x32xf32>
    %150 = stablehlo.broadcast_in_dim %arg13, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %151 = stablehlo.broadcast_in_dim %150, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %152 = stablehlo.add %149, %151 : tensor<3x12x32xf32>
    %153 = stablehlo.dot_general %152, %arg17, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %154 = stablehlo.reshape %153 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %155 = stablehlo.transpose %154, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %156 = stablehlo.dot_general %152, %arg11, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %157 = stablehlo.reshape %156 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %158 = stablehlo.transpose %157, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %159 = stablehlo.dot_general %152, %arg19, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %160 = stablehlo.reshape %159 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %161 = stablehlo.transpose %160, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %162 = stablehlo.dot_general %155, %158, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x8xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x12xf32>
    %cst_35 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %163 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<3x4x12x12xf32>
    %164 = stablehlo.divide %162, %163 : tensor<3x4x12x12xf32>
    %c_36 = stablehlo.constant dense<true> : tensor<i1>
    %165 = stablehlo.broadcast_in_dim %c_36, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %166 = call @tril(%165) : (tensor<12x12xi1>) -> tensor<12x12xi1>
    %cst_37 = stablehlo.constant dense<-1.000000e+09> : tensor<f32>
    %167:2 = call @_where_0(%166, %164, %cst_37) : (tensor<12x12xi1>, tensor<3x4x12x12xf32>, tensor<f32>) -> (tensor<3x4x12x12xf32>, tensor<3x4x12x12xi1>)
    %cst_38 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %168 = stablehlo.reduce(%167#0 init: %cst_38) applies stablehlo.maximum across dimensions = [3] : (tensor<3x4x12x12xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %cst_39 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_39, dims = [] : (tensor<f32>) -> tensor<3x4x12xf32>
    %170 = stablehlo.maximum %169, %168 : tensor<3x4x12xf32>
    %171 = stablehlo.broadcast_in_dim %170, dims = [0, 1, 2] : (tensor<3x4x12xf32>) -> tensor<3x4x12x1xf32>
    %172 = stablehlo.broadcast_in_dim %171, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %173 = stablehlo.subtract %167#0, %172 : tensor<3x4x12x12xf32>
    %174 = stablehlo.exponential %173 : tensor<3x4x12x12xf32>
    %cst_40 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %175 = stablehlo.reduce(%174 init: %cst_40) applies stablehlo.add across dimensions = [3] : (tensor<3x4x12x12xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %176 = stablehlo.broadcast_in_dim %175, dims = [0, 1, 2] : (tensor<3x4x12xf32>) -> tensor<3x4x12x1xf32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %178 = stablehlo.divide %174, %177 : tensor<3x4x12x12xf32>
    %179 = stablehlo.multiply %176, %176 : tensor<3x4x12x1xf32>
    %cst_41 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<3x4x12x1xf32>
    %181 = stablehlo.divide %180, %179 : tensor<3x4x12x1xf32>
    %182 = stablehlo.dot_general %178, %161, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x12xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x8xf32>
    %183 = stablehlo.transpose %182, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %184 = stablehlo.reshape %183 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %185 = stablehlo.dot_general %184, %arg16, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %186 = stablehlo.add %123, %185 : tensor<3x12x32xf32>
    %cst_42 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %187 = stablehlo.reduce(%186 init: %cst_42) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %188 = stablehlo.broadcast_in_dim %187, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_43 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %189 = stablehlo.broadcast_in_dim %cst_43, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %190 = stablehlo.divide %188, %189 : tensor<3x12x1xf32>
    %191 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %192 = stablehlo.subtract %186, %191 : tensor<3x12x32xf32>
    %193 = stablehlo.multiply %192, %192 : tensor<3x12x32xf32>
    %cst_44 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %194 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<3x12x32xf32>
    %195 = stablehlo.multiply %194, %192 : tensor<3x12x32xf32>
    %cst_45 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %196 = stablehlo.reduce(%193 init: %cst_45) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %197 = stablehlo.broadcast_in_dim %196, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_46 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_46, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %199 = stablehlo.divide %197, %198 : tensor<3x12x1xf32>
    %200 = stablehlo.broadcast_in_dim %190, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %201 = stablehlo.subtract %186, %200 : tensor<3x12x32xf32>
    %cst_47 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %202 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %203 = stablehlo.add %199, %202 : tensor<3x12x1xf32>
    %204 = stablehlo.rsqrt %203 : tensor<3x12x1xf32>
    %205 = stablehlo.divide %204, %203 : tensor<3x12x1xf32>
    %cst_48 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %206 = stablehlo.broadcast_in_dim %cst_48, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %207 = stablehlo.multiply %206, %205 : tensor<3x12x1xf32>
    %208 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %209 = stablehlo.multiply %201, %208 : tensor<3x12x32xf32>
    %210 = stablehlo.broadcast_in_dim %arg14, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %211 = stablehlo.broadcast_in_dim %210, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %212 = stablehlo.multiply %209, %211 : tensor<3x12x32xf32>
    %213 = stablehlo.broadcast_in_dim %arg15, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %214 = stablehlo.broadcast_in_dim %213, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %215 = stablehlo.add %212, %214 : tensor<3x12x32xf32>
    %216 = stablehlo.dot_general %215, %arg18, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x128xf32>) -> tensor<3x12x128xf32>
    %217 = stablehlo.multiply %216, %216 : tensor<3x12x128xf32>
    %218 = stablehlo.multiply %217, %216 : tensor<3x12x128xf32>
    %219 = stablehlo.multiply %216, %216 : tensor<3x12x128xf32>
    %cst_49 = stablehlo.constant dense<3.000000e+00> : tensor<f32>
    %220 = stablehlo.broadcast_in_dim %cst_49, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %221 = stablehlo.multiply %220, %219 : tensor<3x12x128xf32>
    %cst_50 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %222 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %223 = stablehlo.multiply %222, %218 : tensor<3x12x128xf32>
    %224 = stablehlo.add %216, %223 : tensor<3x12x128xf32>
    %cst_51 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %225 = stablehlo.broadcast_in_dim %cst_51, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %226 = stablehlo.multiply %225, %224 : tensor<3x12x128xf32>
    %227 = stablehlo.tanh %226 : tensor<3x12x128xf32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %228 = stablehlo.broadcast_in_dim %cst_52, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %229 = stablehlo.subtract %228, %227 : tensor<3x12x128xf32>
    %cst_53 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %230 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %231 = stablehlo.add %230, %227 : tensor<3x12x128xf32>
    %cst_54 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %232 = stablehlo.broadcast_in_dim %cst_54, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %233 = stablehlo.multiply %232, %231 : tensor<3x12x128xf32>
    %234 = stablehlo.multiply %216, %233 : tensor<3x12x128xf32>
    %235 = stablehlo.dot_general %234, %arg10, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x128xf32>, tensor<128x32xf32>) -> tensor<3x12x32xf32>
    %236 = stablehlo.add %186, %235 : tensor<3x12x32xf32>
    %cst_55 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %237 = stablehlo.reduce(%236 init: %cst_55) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %238 = stablehlo.broadcast_in_dim %237, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_56 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %239 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %240 = stablehlo.divide %238, %239 : tensor<3x12x1xf32>
    %241 = stablehlo.broadcast_in_dim %240, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %242 = stablehlo.subtract %236, %241 : tensor<3x12x32xf32>
    %243 = stablehlo.multiply %242, %242 : tensor<3x12x32xf32>
    %cst_57 = stablehlo.constant dense<2.000000e+00> : tensor<f32>
    %244 = stablehlo.broadcast_in_dim %cst_57, dims = [] : (tensor<f32>) -> tensor<3x12x32xf32>
    %245 = stablehlo.multiply %244, %242 : tensor<3x12x32xf32>
    %cst_58 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %246 = stablehlo.reduce(%243 init: %cst_58) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %247 = stablehlo.broadcast_in_dim %246, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_59 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %248 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %249 = stablehlo.divide %247, %248 : tensor<3x12x1xf32>
    %250 = stablehlo.broadcast_in_dim %240, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %251 = stablehlo.subtract %236, %250 : tensor<3x12x32xf32>
    %cst_60 = stablehlo.constant dense<9.99999974E-6> : tensor<f32>
    %252 = stablehlo.broadcast_in_dim %cst_60, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %253 = stablehlo.add %249, %252 : tensor<3x12x1xf32>
    %254 = stablehlo.rsqrt %253 : tensor<3x12x1xf32>
    %255 = stablehlo.divide %254, %253 : tensor<3x12x1xf32>
    %cst_61 = stablehlo.constant dense<-5.000000e-01> : tensor<f32>
    %256 = stablehlo.broadcast_in_dim %cst_61, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %257 = stablehlo.multiply %256, %255 : tensor<3x12x1xf32>
    %258 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %259 = stablehlo.multiply %251, %258 : tensor<3x12x32xf32>
    %260 = stablehlo.broadcast_in_dim %arg20, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %261 = stablehlo.broadcast_in_dim %260, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %262 = stablehlo.multiply %259, %261 : tensor<3x12x32xf32>
    %263 = stablehlo.broadcast_in_dim %arg21, dims = [2] : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %264 = stablehlo.broadcast_in_dim %263, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %265 = stablehlo.add %262, %264 : tensor<3x12x32xf32>
    %266 = stablehlo.transpose %arg23, dims = [1, 0] : (tensor<50x32xf32>) -> tensor<32x50xf32>
    %267 = stablehlo.dot_general %265, %266, contracting_dims = [2] x [0], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x50xf32>) -> tensor<3x12x50xf32>
    %268 = stablehlo.slice %267 [0:3, 0:11, 0:50] : (tensor<3x12x50xf32>) -> tensor<3x11x50xf32>
    %269 = stablehlo.slice %arg24 [0:3, 1:12] : (tensor<3x12xi32>) -> tensor<3x11xi32>
    %c_62 = stablehlo.constant dense<50> : tensor<i32>
    %270 = call @remainder_1(%269, %c_62) : (tensor<3x11xi32>, tensor<i32>) -> tensor<3x11xi32>
    %271:3 = call @log_softmax(%268) : (tensor<3x11x50xf32>) -> (tensor<3x11x50xf32>, tensor<3x11x50xf32>, tensor<3x11x1xf32>)
    %272 = stablehlo.broadcast_in_dim %270, dims = [0, 1] : (tensor<3x11xi32>) -> tensor<3x11x1xi32>
    %273:2 = call @take_along_axis(%271#0, %272) : (tensor<3x11x50xf32>, tensor<3x11x1xi32>) -> (tensor<3x11x1xf32>, tensor<3x11x1x1xi32>)
    %cst_63 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %274 = stablehlo.reduce(%273#0 init: %cst_63) applies stablehlo.add across dimensions = [0, 1, 2] : (tensor<3x11x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_64 = stablehlo.constant dense<3.300000e+01> : tensor<f32>
    %275 = stablehlo.divide %274, %cst_64 : tensor<f32>
    %276 = stablehlo.negate %275 : tensor<f32>
    %cst_65 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %277 = stablehlo.negate %cst_65 : tensor<f32>
    %cst_66 = stablehlo.constant dense<3.300000e+01> : tensor<f32>
    %278 = stablehlo.divide %277, %cst_66 : tensor<f32>
    %279 = stablehlo.broadcast_in_dim %278, dims = [] : (tensor<f32>) -> tensor<3x11x1xf32>
    %280 = call @take_along_axis_2(%273#1, %279) : (tensor<3x11x1x1xi32>, tensor<3x11x1xf32>) -> tensor<3x11x50xf32>
    %281 = call @log_softmax_3(%271#1, %271#2, %280) : (tensor<3x11x50xf32>, tensor<3x11x1xf32>, tensor<3x11x50xf32>) -> tensor<3x11x50xf32>
    %cst_67 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %282 = stablehlo.pad %281, %cst_67, low = [0, 0, 0], high = [0, 1, 0], interior = [0, 0, 0] : (tensor<3x11x50xf32>, tensor<f32>) -> tensor<3x12x50xf32>
    %283 = stablehlo.dot_general %282, %265, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x50xf32>, tensor<3x12x32xf32>) -> tensor<50x32xf32>
    %284 = stablehlo.transpose %283, dims = [1, 0] : (tensor<50x32xf32>) -> tensor<32x50xf32>
    %285 = stablehlo.dot_general %282, %266, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x50xf32>, tensor<32x50xf32>) -> tensor<3x12x32xf32>
    %286 = stablehlo.transpose %284, dims = [1, 0] : (tensor<32x50xf32>) -> tensor<50x32xf32>
    %cst_68 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %287 = stablehlo.reduce(%285 init: %cst_68) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %288 = stablehlo.reshape %287 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_69 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %289 = stablehlo.reduce(%288 init: %cst_69) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %290 = stablehlo.multiply %259, %285 : tensor<3x12x32xf32>
    %cst_70 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %291 = stablehlo.reduce(%290 init: %cst_70) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %292 = stablehlo.reshape %291 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %293 = stablehlo.broadcast_in_dim %260, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %294 = stablehlo.multiply %285, %293 : tensor<3x12x32xf32>
    %cst_71 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %295 = stablehlo.reduce(%292 init: %cst_71) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %296 = stablehlo.multiply %251, %294 : tensor<3x12x32xf32>
    %cst_72 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %297 = stablehlo.reduce(%296 init: %cst_72) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %298 = stablehlo.reshape %297 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %299 = stablehlo.broadcast_in_dim %254, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %300 = stablehlo.multiply %294, %299 : tensor<3x12x32xf32>
    %301 = stablehlo.multiply %298, %257 : tensor<3x12x1xf32>
    %302 = stablehlo.negate %300 : tensor<3x12x32xf32>
    %cst_73 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %303 = stablehlo.reduce(%302 init: %cst_73) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %304 = stablehlo.reshape %303 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %cst_74 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %305 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %306 = stablehlo.divide %301, %305 : tensor<3x12x1xf32>
    %cst_75 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %307 = stablehlo.reduce(%306 init: %cst_75) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %308 = stablehlo.broadcast_in_dim %307, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %309 = stablehlo.multiply %308, %245 : tensor<3x12x32xf32>
    %310 = stablehlo.negate %309 : tensor<3x12x32xf32>
    %cst_76 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %311 = stablehlo.reduce(%310 init: %cst_76) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %312 = stablehlo.reshape %311 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %313 = stablehlo.add %300, %309 : tensor<3x12x32xf32>
    %314 = stablehlo.add %304, %312 : tensor<3x12x1xf32>
    %cst_77 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %315 = stablehlo.broadcast_in_dim %cst_77, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %316 = stablehlo.divide %314, %315 : tensor<3x12x1xf32>
    %cst_78 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %317 = stablehlo.reduce(%316 init: %cst_78) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %318 = stablehlo.broadcast_in_dim %317, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %319 = stablehlo.add %313, %318 : tensor<3x12x32xf32>
    %320 = stablehlo.dot_general %319, %234, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x128xf32>) -> tensor<32x128xf32>
    %321 = stablehlo.transpose %320, dims = [1, 0] : (tensor<32x128xf32>) -> tensor<128x32xf32>
    %322 = stablehlo.dot_general %319, %arg10, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<128x32xf32>) -> tensor<3x12x128xf32>
    %323 = stablehlo.multiply %216, %322 : tensor<3x12x128xf32>
    %324 = stablehlo.multiply %322, %233 : tensor<3x12x128xf32>
    %cst_79 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %325 = stablehlo.broadcast_in_dim %cst_79, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %326 = stablehlo.multiply %325, %323 : tensor<3x12x128xf32>
    %327 = stablehlo.multiply %326, %229 : tensor<3x12x128xf32>
    %328 = stablehlo.multiply %327, %227 : tensor<3x12x128xf32>
    %329 = stablehlo.add %327, %328 : tensor<3x12x128xf32>
    %cst_80 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %330 = stablehlo.broadcast_in_dim %cst_80, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %331 = stablehlo.multiply %330, %329 : tensor<3x12x128xf32>
    %332 = stablehlo.add %324, %331 : tensor<3x12x128xf32>
    %cst_81 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %333 = stablehlo.broadcast_in_dim %cst_81, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %334 = stablehlo.multiply %333, %331 : tensor<3x12x128xf32>
    %335 = stablehlo.multiply %334, %221 : tensor<3x12x128xf32>
    %336 = stablehlo.add %332, %335 : tensor<3x12x128xf32>
    %337 = stablehlo.dot_general %336, %215, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x128xf32>, tensor<3x12x32xf32>) -> tensor<128x32xf32>
    %338 = stablehlo.transpose %337, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %339 = stablehlo.dot_general %336, %arg18, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x128xf32>, tensor<32x128xf32>) -> tensor<3x12x32xf32>
    %cst_82 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %340 = stablehlo.reduce(%339 init: %cst_82) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %341 = stablehlo.reshape %340 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_83 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %342 = stablehlo.reduce(%341 init: %cst_83) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %343 = stablehlo.multiply %209, %339 : tensor<3x12x32xf32>
    %cst_84 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %344 = stablehlo.reduce(%343 init: %cst_84) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %345 = stablehlo.reshape %344 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %346 = stablehlo.broadcast_in_dim %210, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %347 = stablehlo.multiply %339, %346 : tensor<3x12x32xf32>
    %cst_85 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %348 = stablehlo.reduce(%345 init: %cst_85) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %349 = stablehlo.multiply %201, %347 : tensor<3x12x32xf32>
    %cst_86 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %350 = stablehlo.reduce(%349 init: %cst_86) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %351 = stablehlo.reshape %350 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %352 = stablehlo.broadcast_in_dim %204, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %353 = stablehlo.multiply %347, %352 : tensor<3x12x32xf32>
    %354 = stablehlo.multiply %351, %207 : tensor<3x12x1xf32>
    %355 = stablehlo.negate %353 : tensor<3x12x32xf32>
    %cst_87 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %356 = stablehlo.reduce(%355 init: %cst_87) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %357 = stablehlo.reshape %356 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %358 = stablehlo.add %319, %353 : tensor<3x12x32xf32>
    %cst_88 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %359 = stablehlo.broadcast_in_dim %cst_88, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %360 = stablehlo.divide %354, %359 : tensor<3x12x1xf32>
    %cst_89 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %361 = stablehlo.reduce(%360 init: %cst_89) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %362 = stablehlo.broadcast_in_dim %361, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %363 = stablehlo.multiply %362, %195 : tensor<3x12x32xf32>
    %364 = stablehlo.negate %363 : tensor<3x12x32xf32>
    %cst_90 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %365 = stablehlo.reduce(%364 init: %cst_90) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %366 = stablehlo.reshape %365 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %367 = stablehlo.add %358, %363 : tensor<3x12x32xf32>
    %368 = stablehlo.add %357, %366 : tensor<3x12x1xf32>
    %cst_91 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %369 = stablehlo.broadcast_in_dim %cst_91, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %370 = stablehlo.divide %368, %369 : tensor<3x12x1xf32>
    %cst_92 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %371 = stablehlo.reduce(%370 init: %cst_92) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %372 = stablehlo.broadcast_in_dim %371, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %373 = stablehlo.add %367, %372 : tensor<3x12x32xf32>
    %374 = stablehlo.dot_general %373, %184, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %375 = stablehlo.transpose %374, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %376 = stablehlo.dot_general %373, %arg16, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %377 = stablehlo.reshape %376 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %378 = stablehlo.transpose %377, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %379 = stablehlo.dot_general %378, %178, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x8xf32>, tensor<3x4x12x12xf32>) -> tensor<3x4x8x12xf32>
    %380 = stablehlo.transpose %379, dims = [0, 1, 3, 2] : (tensor<3x4x8x12xf32>) -> tensor<3x4x12x8xf32>
    %381 = stablehlo.dot_general %378, %161, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x8xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x12xf32>
    %382 = stablehlo.broadcast_in_dim %181, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %383 = stablehlo.multiply %381, %382 : tensor<3x4x12x12xf32>
    %384 = stablehlo.multiply %383, %174 : tensor<3x4x12x12xf32>
    %cst_93 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %385 = stablehlo.reduce(%384 init: %cst_93) applies stablehlo.add across dimensions = [3] : (tensor<3x4x12x12xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %386 = stablehlo.reshape %385 : (tensor<3x4x12xf32>) -> tensor<3x4x12x1xf32>
    %387 = stablehlo.negate %386 : tensor<3x4x12x1xf32>
    %388 = stablehlo.broadcast_in_dim %176, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %389 = stablehlo.divide %381, %388 : tensor<3x4x12x12xf32>
    %cst_94 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %390 = stablehlo.reduce(%387 init: %cst_94) applies stablehlo.add across dimensions = [3] : (tensor<3x4x12x1xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %391 = stablehlo.broadcast_in_dim %390, dims = [0, 1, 2] : (tensor<3x4x12xf32>) -> tensor<3x4x12x12xf32>
    %392 = stablehlo.add %389, %391 : tensor<3x4x12x12xf32>
    %393 = stablehlo.multiply %392, %174 : tensor<3x4x12x12xf32>
    %394 = call @_where_4(%167#1, %393) : (tensor<3x4x12x12xi1>, tensor<3x4x12x12xf32>) -> tensor<3x4x12x12xf32>
    %cst_95 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %395 = stablehlo.broadcast_in_dim %cst_95, dims = [] : (tensor<f32>) -> tensor<3x4x12x12xf32>
    %396 = stablehlo.divide %394, %395 : tensor<3x4x12x12xf32>
    %397 = stablehlo.dot_general %396, %155, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x12xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x8xf32>
    %398 = stablehlo.dot_general %396, %158, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x12xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x8xf32>
    %399 = stablehlo.transpose %380, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %400 = stablehlo.reshape %399 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %401 = stablehlo.dot_general %400, %152, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %402 = stablehlo.transpose %401, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %403 = stablehlo.dot_general %400, %arg19, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %404 = stablehlo.transpose %397, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %405 = stablehlo.reshape %404 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %406 = stablehlo.dot_general %405, %152, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %407 = stablehlo.transpose %406, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %408 = stablehlo.dot_general %405, %arg11, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %409 = stablehlo.add %403, %408 : tensor<3x12x32xf32>
    %410 = stablehlo.transpose %398, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %411 = stablehlo.reshape %410 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %412 = stablehlo.dot_general %411, %152, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %413 = stablehlo.transpose %412, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %414 = stablehlo.dot_general %411, %arg17, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %415 = stablehlo.add %409, %414 : tensor<3x12x32xf32>
    %cst_96 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %416 = stablehlo.reduce(%415 init: %cst_96) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %417 = stablehlo.reshape %416 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_97 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %418 = stablehlo.reduce(%417 init: %cst_97) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %419 = stablehlo.multiply %146, %415 : tensor<3x12x32xf32>
    %cst_98 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %420 = stablehlo.reduce(%419 init: %cst_98) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %421 = stablehlo.reshape %420 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %422 = stablehlo.broadcast_in_dim %147, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %423 = stablehlo.multiply %415, %422 : tensor<3x12x32xf32>
    %cst_99 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %424 = stablehlo.reduce(%421 init: %cst_99) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %425 = stablehlo.multiply %138, %423 : tensor<3x12x32xf32>
    %cst_100 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %426 = stablehlo.reduce(%425 init: %cst_100) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %427 = stablehlo.reshape %426 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %428 = stablehlo.broadcast_in_dim %141, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %429 = stablehlo.multiply %423, %428 : tensor<3x12x32xf32>
    %430 = stablehlo.multiply %427, %144 : tensor<3x12x1xf32>
    %431 = stablehlo.negate %429 : tensor<3x12x32xf32>
    %cst_101 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %432 = stablehlo.reduce(%431 init: %cst_101) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %433 = stablehlo.reshape %432 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %434 = stablehlo.add %373, %429 : tensor<3x12x32xf32>
    %cst_102 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %435 = stablehlo.broadcast_in_dim %cst_102, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %436 = stablehlo.divide %430, %435 : tensor<3x12x1xf32>
    %cst_103 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %437 = stablehlo.reduce(%436 init: %cst_103) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %438 = stablehlo.broadcast_in_dim %437, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %439 = stablehlo.multiply %438, %132 : tensor<3x12x32xf32>
    %440 = stablehlo.negate %439 : tensor<3x12x32xf32>
    %cst_104 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %441 = stablehlo.reduce(%440 init: %cst_104) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %442 = stablehlo.reshape %441 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %443 = stablehlo.add %434, %439 : tensor<3x12x32xf32>
    %444 = stablehlo.add %433, %442 : tensor<3x12x1xf32>
    %cst_105 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %445 = stablehlo.broadcast_in_dim %cst_105, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %446 = stablehlo.divide %444, %445 : tensor<3x12x1xf32>
    %cst_106 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %447 = stablehlo.reduce(%446 init: %cst_106) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %448 = stablehlo.broadcast_in_dim %447, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %449 = stablehlo.add %443, %448 : tensor<3x12x32xf32>
    %450 = stablehlo.dot_general %449, %121, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x128xf32>) -> tensor<32x128xf32>
    %451 = stablehlo.transpose %450, dims = [1, 0] : (tensor<32x128xf32>) -> tensor<128x32xf32>
    %452 = stablehlo.dot_general %449, %arg0, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<128x32xf32>) -> tensor<3x12x128xf32>
    %453 = stablehlo.multiply %103, %452 : tensor<3x12x128xf32>
    %454 = stablehlo.multiply %452, %120 : tensor<3x12x128xf32>
    %cst_107 = stablehlo.constant dense<5.000000e-01> : tensor<f32>
    %455 = stablehlo.broadcast_in_dim %cst_107, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %456 = stablehlo.multiply %455, %453 : tensor<3x12x128xf32>
    %457 = stablehlo.multiply %456, %116 : tensor<3x12x128xf32>
    %458 = stablehlo.multiply %457, %114 : tensor<3x12x128xf32>
    %459 = stablehlo.add %457, %458 : tensor<3x12x128xf32>
    %cst_108 = stablehlo.constant dense<0.797884583> : tensor<f32>
    %460 = stablehlo.broadcast_in_dim %cst_108, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %461 = stablehlo.multiply %460, %459 : tensor<3x12x128xf32>
    %462 = stablehlo.add %454, %461 : tensor<3x12x128xf32>
    %cst_109 = stablehlo.constant dense<4.471500e-02> : tensor<f32>
    %463 = stablehlo.broadcast_in_dim %cst_109, dims = [] : (tensor<f32>) -> tensor<3x12x128xf32>
    %464 = stablehlo.multiply %463, %461 : tensor<3x12x128xf32>
    %465 = stablehlo.multiply %464, %108 : tensor<3x12x128xf32>
    %466 = stablehlo.add %462, %465 : tensor<3x12x128xf32>
    %467 = stablehlo.dot_general %466, %102, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x128xf32>, tensor<3x12x32xf32>) -> tensor<128x32xf32>
    %468 = stablehlo.transpose %467, dims = [1, 0] : (tensor<128x32xf32>) -> tensor<32x128xf32>
    %469 = stablehlo.dot_general %466, %arg8, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x128xf32>, tensor<32x128xf32>) -> tensor<3x12x32xf32>
    %cst_110 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %470 = stablehlo.reduce(%469 init: %cst_110) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %471 = stablehlo.reshape %470 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_111 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %472 = stablehlo.reduce(%471 init: %cst_111) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %473 = stablehlo.multiply %96, %469 : tensor<3x12x32xf32>
    %cst_112 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %474 = stablehlo.reduce(%473 init: %cst_112) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %475 = stablehlo.reshape %474 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %476 = stablehlo.broadcast_in_dim %97, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %477 = stablehlo.multiply %469, %476 : tensor<3x12x32xf32>
    %cst_113 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %478 = stablehlo.reduce(%475 init: %cst_113) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %479 = stablehlo.multiply %88, %477 : tensor<3x12x32xf32>
    %cst_114 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %480 = stablehlo.reduce(%479 init: %cst_114) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %481 = stablehlo.reshape %480 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %482 = stablehlo.broadcast_in_dim %91, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %483 = stablehlo.multiply %477, %482 : tensor<3x12x32xf32>
    %484 = stablehlo.multiply %481, %94 : tensor<3x12x1xf32>
    %485 = stablehlo.negate %483 : tensor<3x12x32xf32>
    %cst_115 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %486 = stablehlo.reduce(%485 init: %cst_115) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %487 = stablehlo.reshape %486 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %488 = stablehlo.add %449, %483 : tensor<3x12x32xf32>
    %cst_116 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %489 = stablehlo.broadcast_in_dim %cst_116, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %490 = stablehlo.divide %484, %489 : tensor<3x12x1xf32>
    %cst_117 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %491 = stablehlo.reduce(%490 init: %cst_117) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %492 = stablehlo.broadcast_in_dim %491, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %493 = stablehlo.multiply %492, %82 : tensor<3x12x32xf32>
    %494 = stablehlo.negate %493 : tensor<3x12x32xf32>
    %cst_118 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %495 = stablehlo.reduce(%494 init: %cst_118) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %496 = stablehlo.reshape %495 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %497 = stablehlo.add %488, %493 : tensor<3x12x32xf32>
    %498 = stablehlo.add %487, %496 : tensor<3x12x1xf32>
    %cst_119 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %499 = stablehlo.broadcast_in_dim %cst_119, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %500 = stablehlo.divide %498, %499 : tensor<3x12x1xf32>
    %cst_120 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %501 = stablehlo.reduce(%500 init: %cst_120) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %502 = stablehlo.broadcast_in_dim %501, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %503 = stablehlo.add %497, %502 : tensor<3x12x32xf32>
    %504 = stablehlo.dot_general %503, %71, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %505 = stablehlo.transpose %504, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %506 = stablehlo.dot_general %503, %arg6, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %507 = stablehlo.reshape %506 : (tensor<3x12x32xf32>) -> tensor<3x12x4x8xf32>
    %508 = stablehlo.transpose %507, dims = [0, 2, 1, 3] : (tensor<3x12x4x8xf32>) -> tensor<3x4x12x8xf32>
    %509 = stablehlo.dot_general %508, %65, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x8xf32>, tensor<3x4x12x12xf32>) -> tensor<3x4x8x12xf32>
    %510 = stablehlo.transpose %509, dims = [0, 1, 3, 2] : (tensor<3x4x8x12xf32>) -> tensor<3x4x12x8xf32>
    %511 = stablehlo.dot_general %508, %48, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [3], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x8xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x12xf32>
    %512 = stablehlo.broadcast_in_dim %68, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %513 = stablehlo.multiply %511, %512 : tensor<3x4x12x12xf32>
    %514 = stablehlo.multiply %513, %61 : tensor<3x4x12x12xf32>
    %cst_121 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %515 = stablehlo.reduce(%514 init: %cst_121) applies stablehlo.add across dimensions = [3] : (tensor<3x4x12x12xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %516 = stablehlo.reshape %515 : (tensor<3x4x12xf32>) -> tensor<3x4x12x1xf32>
    %517 = stablehlo.negate %516 : tensor<3x4x12x1xf32>
    %518 = stablehlo.broadcast_in_dim %63, dims = [0, 1, 2, 3] : (tensor<3x4x12x1xf32>) -> tensor<3x4x12x12xf32>
    %519 = stablehlo.divide %511, %518 : tensor<3x4x12x12xf32>
    %cst_122 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %520 = stablehlo.reduce(%517 init: %cst_122) applies stablehlo.add across dimensions = [3] : (tensor<3x4x12x1xf32>, tensor<f32>) -> tensor<3x4x12xf32>
    %521 = stablehlo.broadcast_in_dim %520, dims = [0, 1, 2] : (tensor<3x4x12xf32>) -> tensor<3x4x12x12xf32>
    %522 = stablehlo.add %519, %521 : tensor<3x4x12x12xf32>
    %523 = stablehlo.multiply %522, %61 : tensor<3x4x12x12xf32>
    %524 = call @_where_4(%54#1, %523) : (tensor<3x4x12x12xi1>, tensor<3x4x12x12xf32>) -> tensor<3x4x12x12xf32>
    %cst_123 = stablehlo.constant dense<2.82842708> : tensor<f32>
    %525 = stablehlo.broadcast_in_dim %cst_123, dims = [] : (tensor<f32>) -> tensor<3x4x12x12xf32>
    %526 = stablehlo.divide %524, %525 : tensor<3x4x12x12xf32>
    %527 = stablehlo.dot_general %526, %42, batching_dims = [0, 1] x [0, 1], contracting_dims = [2] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x12xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x8xf32>
    %528 = stablehlo.dot_general %526, %45, batching_dims = [0, 1] x [0, 1], contracting_dims = [3] x [2], precision = [DEFAULT, DEFAULT] : (tensor<3x4x12x12xf32>, tensor<3x4x12x8xf32>) -> tensor<3x4x12x8xf32>
    %529 = stablehlo.transpose %510, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %530 = stablehlo.reshape %529 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %531 = stablehlo.dot_general %530, %39, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %532 = stablehlo.transpose %531, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %533 = stablehlo.dot_general %530, %arg9, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %534 = stablehlo.transpose %527, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %535 = stablehlo.reshape %534 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %536 = stablehlo.dot_general %535, %39, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %537 = stablehlo.transpose %536, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %538 = stablehlo.dot_general %535, %arg1, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %539 = stablehlo.add %533, %538 : tensor<3x12x32xf32>
    %540 = stablehlo.transpose %528, dims = [0, 2, 1, 3] : (tensor<3x4x12x8xf32>) -> tensor<3x12x4x8xf32>
    %541 = stablehlo.reshape %540 : (tensor<3x12x4x8xf32>) -> tensor<3x12x32xf32>
    %542 = stablehlo.dot_general %541, %39, contracting_dims = [0, 1] x [0, 1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<3x12x32xf32>) -> tensor<32x32xf32>
    %543 = stablehlo.transpose %542, dims = [1, 0] : (tensor<32x32xf32>) -> tensor<32x32xf32>
    %544 = stablehlo.dot_general %541, %arg7, contracting_dims = [2] x [1], precision = [DEFAULT, DEFAULT] : (tensor<3x12x32xf32>, tensor<32x32xf32>) -> tensor<3x12x32xf32>
    %545 = stablehlo.add %539, %544 : tensor<3x12x32xf32>
    %cst_124 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %546 = stablehlo.reduce(%545 init: %cst_124) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %547 = stablehlo.reshape %546 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %cst_125 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %548 = stablehlo.reduce(%547 init: %cst_125) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %549 = stablehlo.multiply %33, %545 : tensor<3x12x32xf32>
    %cst_126 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %550 = stablehlo.reduce(%549 init: %cst_126) applies stablehlo.add across dimensions = [0, 1] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<32xf32>
    %551 = stablehlo.reshape %550 : (tensor<32xf32>) -> tensor<1x1x32xf32>
    %552 = stablehlo.broadcast_in_dim %34, dims = [0, 1, 2] : (tensor<1x1x32xf32>) -> tensor<3x12x32xf32>
    %553 = stablehlo.multiply %545, %552 : tensor<3x12x32xf32>
    %cst_127 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %554 = stablehlo.reduce(%551 init: %cst_127) applies stablehlo.add across dimensions = [0, 1] : (tensor<1x1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %555 = stablehlo.multiply %25, %553 : tensor<3x12x32xf32>
    %cst_128 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %556 = stablehlo.reduce(%555 init: %cst_128) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %557 = stablehlo.reshape %556 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %558 = stablehlo.broadcast_in_dim %28, dims = [0, 1, 2] : (tensor<3x12x1xf32>) -> tensor<3x12x32xf32>
    %559 = stablehlo.multiply %553, %558 : tensor<3x12x32xf32>
    %560 = stablehlo.multiply %557, %31 : tensor<3x12x1xf32>
    %561 = stablehlo.negate %559 : tensor<3x12x32xf32>
    %cst_129 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %562 = stablehlo.reduce(%561 init: %cst_129) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %563 = stablehlo.reshape %562 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %564 = stablehlo.add %503, %559 : tensor<3x12x32xf32>
    %cst_130 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %565 = stablehlo.broadcast_in_dim %cst_130, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %566 = stablehlo.divide %560, %565 : tensor<3x12x1xf32>
    %cst_131 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %567 = stablehlo.reduce(%566 init: %cst_131) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %568 = stablehlo.broadcast_in_dim %567, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %569 = stablehlo.multiply %568, %19 : tensor<3x12x32xf32>
    %570 = stablehlo.negate %569 : tensor<3x12x32xf32>
    %cst_132 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %571 = stablehlo.reduce(%570 init: %cst_132) applies stablehlo.add across dimensions = [2] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<3x12xf32>
    %572 = stablehlo.reshape %571 : (tensor<3x12xf32>) -> tensor<3x12x1xf32>
    %573 = stablehlo.add %564, %569 : tensor<3x12x32xf32>
    %574 = stablehlo.add %563, %572 : tensor<3x12x1xf32>
    %cst_133 = stablehlo.constant dense<3.200000e+01> : tensor<f32>
    %575 = stablehlo.broadcast_in_dim %cst_133, dims = [] : (tensor<f32>) -> tensor<3x12x1xf32>
    %576 = stablehlo.divide %574, %575 : tensor<3x12x1xf32>
    %cst_134 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %577 = stablehlo.reduce(%576 init: %cst_134) applies stablehlo.add across dimensions = [2] : (tensor<3x12x1xf32>, tensor<f32>) -> tensor<3x12xf32>
    %578 = stablehlo.broadcast_in_dim %577, dims = [0, 1] : (tensor<3x12xf32>) -> tensor<3x12x32xf32>
    %579 = stablehlo.add %573, %578 : tensor<3x12x32xf32>
    %cst_135 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %580 = stablehlo.reduce(%579 init: %cst_135) applies stablehlo.add across dimensions = [0] : (tensor<3x12x32xf32>, tensor<f32>) -> tensor<12x32xf32>
    %581 = stablehlo.reshape %580 : (tensor<12x32xf32>) -> tensor<1x12x32xf32>
    %cst_136 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %582 = stablehlo.reduce(%581 init: %cst_136) applies stablehlo.add across dimensions = [0] : (tensor<1x12x32xf32>, tensor<f32>) -> tensor<12x32xf32>
    %cst_137 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %583 = stablehlo.broadcast_in_dim %cst_137, dims = [] : (tensor<f32>) -> tensor<50x32xf32>
    %584 = "stablehlo.scatter"(%583, %6, %579) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [2], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg25: tensor<f32>, %arg26: tensor<f32>):
      %586 = stablehlo.add %arg25, %arg26 : tensor<f32>
      stablehlo.return %586 : tensor<f32>
    }) : (tensor<50x32xf32>, tensor<3x12x1xi32>, tensor<3x12x32xf32>) -> tensor<50x32xf32>
    %585 = stablehlo.add %286, %584 : tensor<50x32xf32>
    return %276, %451, %537, %554, %548, %478, %472, %505, %543, %468, %532, %321, %407, %424, %418, %348, %342, %375, %413, %338, %402, %295, %289, %582, %585 : tensor<f32>, tensor<128x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x128xf32>, tensor<32x32xf32>, tensor<128x32xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x128xf32>, tensor<32x32xf32>, tensor<32xf32>, tensor<32xf32>, tensor<12x32xf32>, tensor<50x32xf32>
  }
  func.func private @remainder(%arg0: tensor<3x12xi32>, %arg1: tensor<i32>) -> tensor<3x12xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x12xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x12xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x12xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x12xi32>, tensor<3x12xi32>) -> tensor<3x12xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x12xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3x12xi32>, tensor<3x12xi32>) -> tensor<3x12xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x12xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x12xi1>, tensor<3x12xi1>) -> tensor<3x12xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x12xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x12xi32>
    %14 = stablehlo.add %4, %13 : tensor<3x12xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x12xi1>, tensor<3x12xi32>
    return %15 : tensor<3x12xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @tril(%arg0: tensor<12x12xi1>) -> tensor<12x12xi1> {
    %0 = stablehlo.iota dim = 0 : tensor<12x12xi32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<12x12xi32>
    %2 = stablehlo.add %0, %1 : tensor<12x12xi32>
    %3 = stablehlo.iota dim = 1 : tensor<12x12xi32>
    %4 = stablehlo.compare GE, %2, %3, SIGNED : (tensor<12x12xi32>, tensor<12x12xi32>) -> tensor<12x12xi1>
    %c_0 = stablehlo.constant dense<false> : tensor<i1>
    %5 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i1>) -> tensor<12x12xi1>
    %6 = stablehlo.select %4, %arg0, %5 : tensor<12x12xi1>, tensor<12x12xi1>
    return %6 : tensor<12x12xi1>
  }
  func.func private @_where_0(%arg0: tensor<12x12xi1>, %arg1: tensor<3x4x12x12xf32>, %arg2: tensor<f32>) -> (tensor<3x4x12x12xf32>, tensor<3x4x12x12xi1>) {
    %0 = stablehlo.convert %arg2 : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %arg0, dims = [2, 3] : (tensor<12x12xi1>) -> tensor<3x4x12x12xi1>
    %2 = stablehlo.broadcast_in_dim %0, dims = [] : (tensor<f32>) -> tensor<3x4x12x12xf32>
    %3 = stablehlo.select %1, %arg1, %2 : tensor<3x4x12x12xi1>, tensor<3x4x12x12xf32>
    return %3, %1 : tensor<3x4x12x12xf32>, tensor<3x4x12x12xi1>
  }
  func.func private @remainder_1(%arg0: tensor<3x11xi32>, %arg1: tensor<i32>) -> tensor<3x11xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x11xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<3x11xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<3x11xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<3x11xi32>, tensor<3x11xi32>) -> tensor<3x11xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x11xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<3x11xi32>, tensor<3x11xi32>) -> tensor<3x11xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<3x11xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<3x11xi1>, tensor<3x11xi1>) -> tensor<3x11xi1>
    %12 = stablehlo.and %11, %6 : tensor<3x11xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<3x11xi32>
    %14 = stablehlo.add %4, %13 : tensor<3x11xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<3x11xi1>, tensor<3x11xi32>
    return %15 : tensor<3x11xi32>
  }
  func.func private @log_softmax(%arg0: tensor<3x11x50xf32>) -> (tensor<3x11x50xf32>, tensor<3x11x50xf32>, tensor<3x11x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [2] : (tensor<3x11x50xf32>, tensor<f32>) -> tensor<3x11xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<3x11xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<3x11xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0, 1] : (tensor<3x11xf32>) -> tensor<3x11x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1, 2] : (tensor<3x11x1xf32>) -> tensor<3x11x50xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<3x11x50xf32>
    %6 = stablehlo.exponential %5 : tensor<3x11x50xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [2] : (tensor<3x11x50xf32>, tensor<f32>) -> tensor<3x11xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0, 1] : (tensor<3x11xf32>) -> tensor<3x11x1xf32>
    %9 = stablehlo.log %8 : tensor<3x11x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1, 2] : (tensor<3x11x1xf32>) -> tensor<3x11x50xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<3x11x50xf32>
    return %11, %6, %8 : tensor<3x11x50xf32>, tensor<3x11x50xf32>, tensor<3x11x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<3x11x50xf32>, %arg1: tensor<3x11x1xi32>) -> (tensor<3x11x1xf32>, tensor<3x11x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<3x11x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<3x11x1xi32>, tensor<3x11x1xi32>) -> tensor<3x11x1xi1>
    %c_0 = stablehlo.constant dense<50> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<3x11x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<3x11x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<3x11x1xi1>, tensor<3x11x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<3x11x1xi32>) -> tensor<3x11x1x1xi32>
    %c_1 = stablehlo.constant dense<49> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<3x11x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<3x11x1x1xi32>, tensor<3x11x1x1xi32>) -> tensor<3x11x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [3] : (tensor<1xi32>) -> tensor<1x1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2, 3] : (tensor<1x1x1x1xi32>) -> tensor<3x11x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<3x11x1x1xi32>, tensor<3x11x1x1xi32>) -> tensor<3x11x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<3x11x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [3] : (tensor<3x11x1x1xi1>, tensor<i1>) -> tensor<3x11x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [2], operand_batching_dims = [0, 1], start_indices_batching_dims = [0, 1], start_index_map = [2], index_vector_dim = 3>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1, 1>}> : (tensor<3x11x50xf32>, tensor<3x11x1x1xi32>) -> tensor<3x11x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x11x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<3x11x1xi1>, tensor<3x11x1xf32>
    return %15, %5 : tensor<3x11x1xf32>, tensor<3x11x1x1xi32>
  }
  func.func private @take_along_axis_2(%arg0: tensor<3x11x1x1xi32>, %arg1: tensor<3x11x1xf32>) -> tensor<3x11x50xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x11x50xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [2], input_batching_dims = [0, 1], scatter_indices_batching_dims = [0, 1], scatter_dims_to_operand_dims = [2], index_vector_dim = 3>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<3x11x50xf32>, tensor<3x11x1x1xi32>, tensor<3x11x1xf32>) -> tensor<3x11x50xf32>
    return %1 : tensor<3x11x50xf32>
  }
  func.func private @log_softmax_3(%arg0: tensor<3x11x50xf32>, %arg1: tensor<3x11x1xf32>, %arg2: tensor<3x11x50xf32>) -> tensor<3x11x50xf32> {
    %0 = stablehlo.negate %arg2 : tensor<3x11x50xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [2] : (tensor<3x11x50xf32>, tensor<f32>) -> tensor<3x11xf32>
    %2 = stablehlo.reshape %1 : (tensor<3x11xf32>) -> tensor<3x11x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<3x11x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [2] : (tensor<3x11x1xf32>, tensor<f32>) -> tensor<3x11xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0, 1] : (tensor<3x11xf32>) -> tensor<3x11x50xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<3x11x50xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<3x11x50xf32>
    return %7 : tensor<3x11x50xf32>
  }
  func.func private @_where_4(%arg0: tensor<3x4x12x12xi1>, %arg1: tensor<3x4x12x12xf32>) -> tensor<3x4x12x12xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<3x4x12x12xf32>
    %1 = stablehlo.select %arg0, %arg1, %0 : tensor<3x4x12x12xi1>, tensor<3x4x12x12xf32>
    return %1 : tensor<3x4x12x12xf32>
  }
}
