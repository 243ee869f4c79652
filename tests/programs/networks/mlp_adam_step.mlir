module @jit_mlp_adam_step attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<20x32xf32>, %arg1: tensor<32xf32>, %arg2: tensor<32x24xf32>, %arg3: tensor<24xf32>, %arg4: tensor<24x10xf32>, %arg5: tensor<10xf32>, %arg6: tensor<20x32xf32>, %arg7: tensor<32xf32>, %arg8: tensor<32x24xf32>, %arg9: tensor<24xf32>, %arg10: tensor<24x10xf32>, %arg11: tensor<10xf32>, %arg12: tensor<20x32xf32>, %arg13: tensor<32xf32>, %arg14: tensor<32x24xf32>, %arg15: tensor<24xf32>, %arg16: tensor<24x10xf32>, %arg17: tensor<10xf32>, %arg18: tensor<i32>, %arg19: tensor<16x20xf32>, %arg20: tensor<16xi32>) -> (tensor<f32> {jax.result_info = "result[0]"}, tensor<20x32xf32> {jax.result_info = "result[1][0][0]"}, tensor<32xf32> {jax.result_info = "result[1][0][1]"}, tensor<32x24xf32> {jax.result_info = "result[1][1][0]"}, tensor<24xf32> {jax.result_info = "result[1][1][1]"}, tensor<24x10xf32> {jax.result_info = "result[1][2][0]"}, tensor<10xf32> {jax.result_info = "result[1][2][1]"}, tensor<20x32xf32> {jax.result_info = "result[2][0][0]"}, tensor<32xf32> {jax.result_info = "result[2][0][1]"}, tensor<32x24xf32> {jax.result_info = "result[2][1][0]"}, tensor<24xf32> {jax.result_info = "result[2][1][1]"}, tensor<24x10xf32> {jax.result_info = "result[2][2][0]"}, tensor<10xf32> {jax.result_info = "result[2][2][1]"}, tensor<20x32xf32> {jax.result_info = "result[3][0][0]"}, tensor<32xf32> {jax.result_info = "result[3][0][1]"}, tensor<32x24xf32> {jax.result_info = "result[3][1][0]"}, tensor<24xf32> {jax.result_info = "result[3][1][1]"}, tensor<24x10xf32> {jax.result_info = "result[3][2][0]"}, tensor<10xf32> {jax.result_info = "result[3][2][1]"}, tensor<i32> {jax.result_info = "result[4]"}) {
    %0 = stablehlo.dot_general %arg19, %arg0, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x20xf32>, tensor<20x32xf32>) -> tensor<16x32xf32>
    %1 = stablehlo.broadcast_in_dim %arg1, dims = [1] : (tensor<32xf32>) -> tensor<1x32xf32>
    %2 = stablehlo.broadcast_in_dim %1, dims = [0, 1] : (tensor<1x32xf32>) -> tensor<16x32xf32>
    %3 = stablehlo.add %0, %2 : tensor<16x32xf32>
    %4 = call @relu(%3) : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %6 = stablehlo.compare GT, %3, %5, FLOAT : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xi1>
    %7 = stablehlo.dot_general %4, %arg2, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<32x24xf32>) -> tensor<16x24xf32>
    %8 = stablehlo.broadcast_in_dim %arg3, dims = [1] : (tensor<24xf32>) -> tensor<1x24xf32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1] : (tensor<1x24xf32>) -> tensor<16x24xf32>
    %10 = stablehlo.add %7, %9 : tensor<16x24xf32>
    %11 = call @relu_0(%10) : (tensor<16x24xf32>) -> tensor<16x24xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %12 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %13 = stablehlo.compare GT, %10, %12, FLOAT : (tensor<16x24xf32>, tensor<16x24xf32>) -> tensor<16x24xi1>
    %14 = stablehlo.dot_general %11, %arg4, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x24xf32>, tensor<24x10xf32>) -> tensor<16x10xf32>
    %15 = stablehlo.broadcast_in_dim %arg5, dims = [1] : (tensor<10xf32>) -> tensor<1x10xf32>
    %16 = stablehlo.broadcast_in_dim %15, dims = [0, 1] : (tensor<1x10xf32>) -> tensor<16x10xf32>
    %17 = stablehlo.add %14, %16 : tensor<16x10xf32>
    %c = stablehlo.constant dense<10> : tensor<i32>
    %18 = call @remainder(%arg20, %c) : (tensor<16xi32>, tensor<i32>) -> tensor<16xi32>
    %19:3 = call @log_softmax(%17) : (tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>)
    %20 = stablehlo.broadcast_in_dim %18, dims = [0] : (tensor<16xi32>) -> tensor<16x1xi32>
    %21:2 = call @take_along_axis(%19#0, %20) : (tensor<16x10xf32>, tensor<16x1xi32>) -> (tensor<16x1xf32>, tensor<16x1x1xi32>)
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %22 = stablehlo.reduce(%21#0 init: %cst_1) applies stablehlo.add across dimensions = [0, 1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<f32>
    %cst_2 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %23 = stablehlo.divide %22, %cst_2 : tensor<f32>
    %24 = stablehlo.negate %23 : tensor<f32>
    %cst_3 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %25 = stablehlo.negate %cst_3 : tensor<f32>
    %cst_4 = stablehlo.constant dense<1.600000e+01> : tensor<f32>
    %26 = stablehlo.divide %25, %cst_4 : tensor<f32>
    %27 = stablehlo.broadcast_in_dim %26, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %28 = call @take_along_axis_1(%21#1, %27) : (tensor<16x1x1xi32>, tensor<16x1xf32>) -> tensor<16x10xf32>
    %29 = call @log_softmax_2(%19#1, %19#2, %28) : (tensor<16x10xf32>, tensor<16x1xf32>, tensor<16x10xf32>) -> tensor<16x10xf32>
    %cst_5 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %30 = stablehlo.reduce(%29 init: %cst_5) applies stablehlo.add across dimensions = [0] : (tensor<16x10xf32>, tensor<f32>) -> tensor<10xf32>
    %31 = stablehlo.reshape %30 : (tensor<10xf32>) -> tensor<1x10xf32>
    %cst_6 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %32 = stablehlo.reduce(%31 init: %cst_6) applies stablehlo.add across dimensions = [0] : (tensor<1x10xf32>, tensor<f32>) -> tensor<10xf32>
    %33 = stablehlo.dot_general %29, %11, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x10xf32>, tensor<16x24xf32>) -> tensor<10x24xf32>
    %34 = stablehlo.transpose %33, dims = [1, 0] : (tensor<10x24xf32>) -> tensor<24x10xf32>
    %35 = stablehlo.dot_general %29, %arg4, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x10xf32>, tensor<24x10xf32>) -> tensor<16x24xf32>
    %cst_7 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %36 = stablehlo.broadcast_in_dim %cst_7, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %37 = stablehlo.select %13, %35, %36 : tensor<16x24xi1>, tensor<16x24xf32>
    %cst_8 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %38 = stablehlo.reduce(%37 init: %cst_8) applies stablehlo.add across dimensions = [0] : (tensor<16x24xf32>, tensor<f32>) -> tensor<24xf32>
    %39 = stablehlo.reshape %38 : (tensor<24xf32>) -> tensor<1x24xf32>
    %cst_9 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %40 = stablehlo.reduce(%39 init: %cst_9) applies stablehlo.add across dimensions = [0] : (tensor<1x24xf32>, tensor<f32>) -> tensor<24xf32>
    %41 = stablehlo.dot_general %37, %4, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x24xf32>, tensor<16x32xf32>) -> tensor<24x32xf32>
    %42 = stablehlo.transpose %41, dims = [1, 0] : (tensor<24x32xf32>) -> tensor<32x24xf32>
    %43 = stablehlo.dot_general %37, %arg2, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<16x24xf32>, tensor<32x24xf32>) -> tensor<16x32xf32>
    %cst_10 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %44 = stablehlo.broadcast_in_dim %cst_10, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %45 = stablehlo.select %6, %43, %44 : tensor<16x32xi1>, tensor<16x32xf32>
    %cst_11 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %46 = stablehlo.reduce(%45 init: %cst_11) applies stablehlo.add across dimensions = [0] : (tensor<16x32xf32>, tensor<f32>) -> tensor<32xf32>
    %47 = stablehlo.reshape %46 : (tensor<32xf32>) -> tensor<1x32xf32>
    %cst_12 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %48 = stablehlo.reduce(%47 init: %cst_12) applies stablehlo.add across dimensions = [0] : (tensor<1x32xf32>, tensor<f32>) -> tensor<32xf32>
    %49 = stablehlo.dot_general %45, %arg19, contracting_dims = [0] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xf32>, tensor<16x20xf32>) -> tensor<32x20xf32>
    %50 = stablehlo.transpose %49, dims = [1, 0] : (tensor<32x20xf32>) -> tensor<20x32xf32>
    %c_13 = stablehlo.constant dense<1000> : tensor<i32>
    %51 = call @remainder_3(%arg18, %c_13) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %c_14 = stablehlo.constant dense<1> : tensor<i32>
    %52 = stablehlo.add %51, %c_14 : tensor<i32>
    %cst_15 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %53 = stablehlo.broadcast_in_dim %cst_15, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %54 = stablehlo.multiply %53, %arg6 : tensor<20x32xf32>
    %cst_16 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %55 = stablehlo.broadcast_in_dim %cst_16, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %56 = stablehlo.multiply %55, %50 : tensor<20x32xf32>
    %57 = stablehlo.add %54, %56 : tensor<20x32xf32>
    %cst_17 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %58 = stablehlo.broadcast_in_dim %cst_17, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %59 = stablehlo.multiply %58, %arg7 : tensor<32xf32>
    %cst_18 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %60 = stablehlo.broadcast_in_dim %cst_18, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %61 = stablehlo.multiply %60, %48 : tensor<32xf32>
    %62 = stablehlo.add %59, %61 : tensor<32xf32>
    %cst_19 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %63 = stablehlo.broadcast_in_dim %cst_19, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %64 = stablehlo.multiply %63, %arg8 : tensor<32x24xf32>
    %cst_20 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %65 = stablehlo.broadcast_in_dim %cst_20, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %66 = stablehlo.multiply %65, %42 : tensor<32x24xf32>
    %67 = stablehlo.add %64, %66 : tensor<32x24xf32>
    %cst_21 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %68 = stablehlo.broadcast_in_dim %cst_21, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %69 = stablehlo.multiply %68, %arg9 : tensor<24xf32>
    %cst_22 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %70 = stablehlo.broadcast_in_dim %cst_22, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %71 = stablehlo.multiply %70, %40 : tensor<24xf32>
    %72 = stablehlo.add %69, %71 : tensor<24xf32>
    %cst_23 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %73 = stablehlo.broadcast_in_dim %cst_23, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %74 = stablehlo.multiply %73, %arg10 : tensor<24x10xf32>
    %cst_24 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %75 = stablehlo.broadcast_in_dim %cst_24, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %76 = stablehlo.multiply %75, %34 : tensor<24x10xf32>
    %77 = stablehlo.add %74, %76 : tensor<24x10xf32>
    %cst_25 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %78 = stablehlo.broadcast_in_dim %cst_25, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %79 = stablehlo.multiply %78, %arg11 : tensor<10xf32>
    %cst_26 = stablehlo.constant dense<1.000000e-01> : tensor<f32>
    %80 = stablehlo.broadcast_in_dim %cst_26, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %81 = stablehlo.multiply %80, %32 : tensor<10xf32>
    %82 = stablehlo.add %79, %81 : tensor<10xf32>
    %cst_27 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %83 = stablehlo.broadcast_in_dim %cst_27, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %84 = stablehlo.multiply %83, %arg12 : tensor<20x32xf32>
    %cst_28 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %85 = stablehlo.broadcast_in_dim %cst_28, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %86 = stablehlo.multiply %85, %50 : tensor<20x32xf32>
    %87 = stablehlo.multiply %86, %50 : tensor<20x32xf32>
    %88 = stablehlo.add %84, %87 : tensor<20x32xf32>
    %cst_29 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %89 = stablehlo.broadcast_in_dim %cst_29, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %90 = stablehlo.multiply %89, %arg13 : tensor<32xf32>
    %cst_30 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %91 = stablehlo.broadcast_in_dim %cst_30, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %92 = stablehlo.multiply %91, %48 : tensor<32xf32>
    %93 = stablehlo.multiply %92, %48 : tensor<32xf32>
    %94 = stablehlo.add %90, %93 : tensor<32xf32>
    %cst_31 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %95 = stablehlo.broadcast_in_dim %cst_31, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %96 = stablehlo.multiply %95, %arg14 : tensor<32x24xf32>
    %cst_32 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %97 = stablehlo.broadcast_in_dim %cst_32, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %98 = stablehlo.multiply %97, %42 : tensor<32x24xf32>
    %99 = stablehlo.multiply %98, %42 : tensor<32x24xf32>
    %100 = stablehlo.add %96, %99 : tensor<32x24xf32>
    %cst_33 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %101 = stablehlo.broadcast_in_dim %cst_33, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %102 = stablehlo.multiply %101, %arg15 : tensor<24xf32>
    %cst_34 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %103 = stablehlo.broadcast_in_dim %cst_34, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %104 = stablehlo.multiply %103, %40 : tensor<24xf32>
    %105 = stablehlo.multiply %104, %40 : tensor<24xf32>
    %106 = stablehlo.add %102, %105 : tensor<24xf32>
    %cst_35 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %107 = stablehlo.broadcast_in_dim %cst_35, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %108 = stablehlo.multiply %107, %arg16 : tensor<24x10xf32>
    %cst_36 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %109 = stablehlo.broadcast_in_dim %cst_36, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %110 = stablehlo.multiply %109, %34 : tensor<24x10xf32>
    %111 = stablehlo.multiply %110, %34 : tensor<24x10xf32>
    %112 = stablehlo.add %108, %111 : tensor<24x10xf32>
    %cst_37 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %113 = stablehlo.broadcast_in_dim %cst_37, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %114 = stablehlo.multiply %113, %arg17 : tensor<10xf32>
    %cst_38 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %115 = stablehlo.broadcast_in_dim %cst_38, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %116 = stablehlo.multiply %115, %32 : tensor<10xf32>
    %117 = stablehlo.multiply %116, %32 : tensor<10xf32>
    %118 = stablehlo.add %114, %117 : tensor<10xf32>
    %119 = stablehlo.abs %88 : tensor<20x32xf32>
    %cst_39 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %120 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %121 = stablehlo.power %cst_39, %120 : tensor<f32>
    %cst_40 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %122 = stablehlo.subtract %cst_40, %121 : tensor<f32>
    %123 = stablehlo.broadcast_in_dim %122, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %124 = stablehlo.divide %119, %123 : tensor<20x32xf32>
    %125 = stablehlo.sqrt %124 : tensor<20x32xf32>
    %cst_41 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %126 = stablehlo.broadcast_in_dim %cst_41, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %127 = stablehlo.add %125, %126 : tensor<20x32xf32>
    %cst_42 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %128 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %129 = stablehlo.power %cst_42, %128 : tensor<f32>
    %cst_43 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %130 = stablehlo.subtract %cst_43, %129 : tensor<f32>
    %131 = stablehlo.broadcast_in_dim %130, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %132 = stablehlo.divide %57, %131 : tensor<20x32xf32>
    %cst_44 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %133 = stablehlo.broadcast_in_dim %cst_44, dims = [] : (tensor<f32>) -> tensor<20x32xf32>
    %134 = stablehlo.multiply %133, %132 : tensor<20x32xf32>
    %135 = stablehlo.divide %134, %127 : tensor<20x32xf32>
    %136 = stablehlo.subtract %arg0, %135 : tensor<20x32xf32>
    %137 = stablehlo.abs %94 : tensor<32xf32>
    %cst_45 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %138 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %139 = stablehlo.power %cst_45, %138 : tensor<f32>
    %cst_46 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %140 = stablehlo.subtract %cst_46, %139 : tensor<f32>
    %141 = stablehlo.broadcast_in_dim %140, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %142 = stablehlo.divide %137, %141 : tensor<32xf32>
    %143 = stablehlo.sqrt %142 : tensor<32xf32>
    %cst_47 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %144 = stablehlo.broadcast_in_dim %cst_47, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %145 = stablehlo.add %143, %144 : tensor<32xf32>
    %cst_48 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %146 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %147 = stablehlo.power %cst_48, %146 : tensor<f32>
    %cst_49 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %148 = stablehlo.subtract %cst_49, %147 : tensor<f32>
    %149 = stablehlo.broadcast_in_dim %148, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %150 = stablehlo.divide %62, %149 : tensor<32xf32>
    %cst_50 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %151 = stablehlo.broadcast_in_dim %cst_50, dims = [] : (tensor<f32>) -> tensor<32xf32>
    %152 = stablehlo.multiply %151, %150 : tensor<32xf32>
    %153 = stablehlo.divide %152, %145 : tensor<32xf32>
    %154 = stablehlo.subtract %arg1, %153 : tensor<32xf32>
    %155 = stablehlo.abs %100 : tensor<32x24xf32>
    %cst_51 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %156 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %157 = stablehlo.power %cst_51, %156 : tensor<f32>
    %cst_52 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %158 = stablehlo.subtract %cst_52, %157 : tensor<f32>
    %159 = stablehlo.broadcast_in_dim %158, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %160 = stablehlo.divide %155, %159 : tensor<32x24xf32>
    %161 = stablehlo.sqrt %160 : tensor<32x24xf32>
    %cst_53 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %162 = stablehlo.broadcast_in_dim %cst_53, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %163 = stablehlo.add %161, %162 : tensor<32x24xf32>
    %cst_54 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %164 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %165 = stablehlo.power %cst_54, %164 : tensor<f32>
    %cst_55 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %166 = stablehlo.subtract %cst_55, %165 : tensor<f32>
    %167 = stablehlo.broadcast_in_dim %166, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %168 = stablehlo.divide %67, %167 : tensor<32x24xf32>
    %cst_56 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %169 = stablehlo.broadcast_in_dim %cst_56, dims = [] : (tensor<f32>) -> tensor<32x24xf32>
    %170 = stablehlo.multiply %169, %168 : tensor<32x24xf32>
    %171 = stablehlo.divide %170, %163 : tensor<32x24xf32>
    %172 = stablehlo.subtract %arg2, %171 : tensor<32x24xf32>
    %173 = stablehlo.abs %106 : tensor<24xf32>
    %cst_57 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %174 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %175 = stablehlo.power %cst_57, %174 : tensor<f32>
    %cst_58 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %176 = stablehlo.subtract %cst_58, %175 : tensor<f32>
    %177 = stablehlo.broadcast_in_dim %176, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %178 = stablehlo.divide %173, %177 : tensor<24xf32>
    %179 = stablehlo.sqrt %178 : tensor<24xf32>
    %cst_59 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %180 = stablehlo.broadcast_in_dim %cst_59, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %181 = stablehlo.add %179, %180 : tensor<24xf32>
    %cst_60 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %182 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %183 = stablehlo.power %cst_60, %182 : tensor<f32>
    %cst_61 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %184 = stablehlo.subtract %cst_61, %183 : tensor<f32>
    %185 = stablehlo.broadcast_in_dim %184, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %186 = stablehlo.divide %72, %185 : tensor<24xf32>
    %cst_62 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %187 = stablehlo.broadcast_in_dim %cst_62, dims = [] : (tensor<f32>) -> tensor<24xf32>
    %188 = stablehlo.multiply %187, %186 : tensor<24xf32>
    %189 = stablehlo.divide %188, %181 : tensor<24xf32>
    %190 = stablehlo.subtract %arg3, %189 : tensor<24xf32>
    %191 = stablehlo.abs %112 : tensor<24x10xf32>
    %cst_63 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %192 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %193 = stablehlo.power %cst_63, %192 : tensor<f32>
    %cst_64 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %194 = stablehlo.subtract %cst_64, %193 : tensor<f32>
    %195 = stablehlo.broadcast_in_dim %194, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %196 = stablehlo.divide %191, %195 : tensor<24x10xf32>
    %197 = stablehlo.sqrt %196 : tensor<24x10xf32>
    %cst_65 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %198 = stablehlo.broadcast_in_dim %cst_65, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %199 = stablehlo.add %197, %198 : tensor<24x10xf32>
    %cst_66 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %200 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %201 = stablehlo.power %cst_66, %200 : tensor<f32>
    %cst_67 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %202 = stablehlo.subtract %cst_67, %201 : tensor<f32>
    %203 = stablehlo.broadcast_in_dim %202, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %204 = stablehlo.divide %77, %203 : tensor<24x10xf32>
    %cst_68 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %205 = stablehlo.broadcast_in_dim %cst_68, dims = [] : (tensor<f32>) -> tensor<24x10xf32>
    %206 = stablehlo.multiply %205, %204 : tensor<24x10xf32>
    %207 = stablehlo.divide %206, %199 : tensor<24x10xf32>
    %208 = stablehlo.subtract %arg4, %207 : tensor<24x10xf32>
    %209 = stablehlo.abs %118 : tensor<10xf32>
    %cst_69 = stablehlo.constant dense<9.990000e-01> : tensor<f32>
    %210 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %211 = stablehlo.power %cst_69, %210 : tensor<f32>
    %cst_70 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %212 = stablehlo.subtract %cst_70, %211 : tensor<f32>
    %213 = stablehlo.broadcast_in_dim %212, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %214 = stablehlo.divide %209, %213 : tensor<10xf32>
    %215 = stablehlo.sqrt %214 : tensor<10xf32>
    %cst_71 = stablehlo.constant dense<9.99999993E-9> : tensor<f32>
    %216 = stablehlo.broadcast_in_dim %cst_71, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %217 = stablehlo.add %215, %216 : tensor<10xf32>
    %cst_72 = stablehlo.constant dense<0.899999976> : tensor<f32>
    %218 = stablehlo.convert %52 : (tensor<i32>) -> tensor<f32>
    %219 = stablehlo.power %cst_72, %218 : tensor<f32>
    %cst_73 = stablehlo.constant dense<1.000000e+00> : tensor<f32>
    %220 = stablehlo.subtract %cst_73, %219 : tensor<f32>
    %221 = stablehlo.broadcast_in_dim %220, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %222 = stablehlo.divide %82, %221 : tensor<10xf32>
    %cst_74 = stablehlo.constant dense<1.000000e-03> : tensor<f32>
    %223 = stablehlo.broadcast_in_dim %cst_74, dims = [] : (tensor<f32>) -> tensor<10xf32>
    %224 = stablehlo.multiply %223, %222 : tensor<10xf32>
    %225 = stablehlo.divide %224, %217 : tensor<10xf32>
    %226 = stablehlo.subtract %arg5, %225 : tensor<10xf32>
    return %24, %136, %154, %172, %190, %208, %226, %57, %62, %67, %72, %77, %82, %88, %94, %100, %106, %112, %118, %52 : tensor<f32>, tensor<20x32xf32>, tensor<32xf32>, tensor<32x24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<10xf32>, tensor<20x32xf32>, tensor<32xf32>, tensor<32x24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<10xf32>, tensor<20x32xf32>, tensor<32xf32>, tensor<32x24xf32>, tensor<24xf32>, tensor<24x10xf32>, tensor<10xf32>, tensor<i32>
  }
  func.func private @relu(%arg0: tensor<16x32xf32>) -> tensor<16x32xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x32xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x32xf32>
    return %1 : tensor<16x32xf32>
  }
  func.func private @relu_0(%arg0: tensor<16x24xf32>) -> tensor<16x24xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %1 = stablehlo.maximum %arg0, %0 : tensor<16x24xf32>
    return %1 : tensor<16x24xf32>
  }
  func.func private @remainder(%arg0: tensor<16xi32>, %arg1: tensor<i32>) -> tensor<16xi32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %4 = stablehlo.remainder %arg0, %3 : tensor<16xi32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.broadcast_in_dim %c_1, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %6 = stablehlo.compare NE, %4, %5, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %7 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %8 = stablehlo.compare LT, %4, %7, SIGNED : (tensor<16xi32>, tensor<16xi32>) -> tensor<16xi1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %9 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %10 = stablehlo.broadcast_in_dim %9, dims = [] : (tensor<i1>) -> tensor<16xi1>
    %11 = stablehlo.compare NE, %8, %10, UNSIGNED : (tensor<16xi1>, tensor<16xi1>) -> tensor<16xi1>
    %12 = stablehlo.and %11, %6 : tensor<16xi1>
    %13 = stablehlo.broadcast_in_dim %2, dims = [] : (tensor<i32>) -> tensor<16xi32>
    %14 = stablehlo.add %4, %13 : tensor<16xi32>
    %15 = stablehlo.select %12, %14, %4 : tensor<16xi1>, tensor<16xi32>
    return %15 : tensor<16xi32>
  }
  func.func private @_where(%arg0: tensor<i1>, %arg1: tensor<i32>, %arg2: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.select %arg0, %arg1, %arg2 : tensor<i1>, tensor<i32>
    return %0 : tensor<i32>
  }
  func.func private @log_softmax(%arg0: tensor<16x10xf32>) -> (tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>) {
    %cst = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %0 = stablehlo.reduce(%arg0 init: %cst) applies stablehlo.maximum across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %cst_0 = stablehlo.constant dense<0xFF800000> : tensor<f32>
    %1 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.maximum %1, %0 : tensor<16xf32>
    %3 = stablehlo.broadcast_in_dim %2, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x10xf32>
    %5 = stablehlo.subtract %arg0, %4 : tensor<16x10xf32>
    %6 = stablehlo.exponential %5 : tensor<16x10xf32>
    %cst_1 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %7 = stablehlo.reduce(%6 init: %cst_1) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %8 = stablehlo.broadcast_in_dim %7, dims = [0] : (tensor<16xf32>) -> tensor<16x1xf32>
    %9 = stablehlo.log %8 : tensor<16x1xf32>
    %10 = stablehlo.broadcast_in_dim %9, dims = [0, 1] : (tensor<16x1xf32>) -> tensor<16x10xf32>
    %11 = stablehlo.subtract %5, %10 : tensor<16x10xf32>
    return %11, %6, %8 : tensor<16x10xf32>, tensor<16x10xf32>, tensor<16x1xf32>
  }
  func.func private @take_along_axis(%arg0: tensor<16x10xf32>, %arg1: tensor<16x1xi32>) -> (tensor<16x1xf32>, tensor<16x1x1xi32>) {
    %c = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.broadcast_in_dim %c, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %1 = stablehlo.compare LT, %arg1, %0, SIGNED : (tensor<16x1xi32>, tensor<16x1xi32>) -> tensor<16x1xi1>
    %c_0 = stablehlo.constant dense<10> : tensor<i32>
    %2 = stablehlo.broadcast_in_dim %c_0, dims = [] : (tensor<i32>) -> tensor<16x1xi32>
    %3 = stablehlo.add %arg1, %2 : tensor<16x1xi32>
    %4 = stablehlo.select %1, %3, %arg1 : tensor<16x1xi1>, tensor<16x1xi32>
    %5 = stablehlo.reshape %4 : (tensor<16x1xi32>) -> tensor<16x1x1xi32>
    %c_1 = stablehlo.constant dense<9> : tensor<1xi32>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.broadcast_in_dim %c_2, dims = [] : (tensor<i32>) -> tensor<16x1x1xi32>
    %7 = stablehlo.compare GE, %5, %6, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %8 = stablehlo.broadcast_in_dim %c_1, dims = [2] : (tensor<1xi32>) -> tensor<1x1x1xi32>
    %9 = stablehlo.broadcast_in_dim %8, dims = [0, 1, 2] : (tensor<1x1x1xi32>) -> tensor<16x1x1xi32>
    %10 = stablehlo.compare LE, %5, %9, SIGNED : (tensor<16x1x1xi32>, tensor<16x1x1xi32>) -> tensor<16x1x1xi1>
    %11 = stablehlo.and %7, %10 : tensor<16x1x1xi1>
    %c_3 = stablehlo.constant dense<true> : tensor<i1>
    %12 = stablehlo.reduce(%11 init: %c_3) applies stablehlo.and across dimensions = [2] : (tensor<16x1x1xi1>, tensor<i1>) -> tensor<16x1xi1>
    %13 = "stablehlo.gather"(%arg0, %5) <{dimension_numbers = #stablehlo.gather<collapsed_slice_dims = [1], operand_batching_dims = [0], start_indices_batching_dims = [0], start_index_map = [1], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: 1, 1>}> : (tensor<16x10xf32>, tensor<16x1x1xi32>) -> tensor<16x1xf32>
    %cst = stablehlo.constant dense<0x7FC00000> : tensor<f32>
    %14 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x1xf32>
    %15 = stablehlo.select %12, %13, %14 : tensor<16x1xi1>, tensor<16x1xf32>
    return %15, %5 : tensor<16x1xf32>, tensor<16x1x1xi32>
  }
  func.func private @take_along_axis_1(%arg0: tensor<16x1x1xi32>, %arg1: tensor<16x1xf32>) -> tensor<16x10xf32> {
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %0 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x10xf32>
    %1 = "stablehlo.scatter"(%0, %arg0, %arg1) <{indices_are_sorted = false, scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [1], input_batching_dims = [0], scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim = 2>, unique_indices = false}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %2 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %2 : tensor<f32>
    }) : (tensor<16x10xf32>, tensor<16x1x1xi32>, tensor<16x1xf32>) -> tensor<16x10xf32>
    return %1 : tensor<16x10xf32>
  }
  func.func private @log_softmax_2(%arg0: tensor<16x10xf32>, %arg1: tensor<16x1xf32>, %arg2: tensor<16x10xf32>) -> tensor<16x10xf32> {
    %0 = stablehlo.negate %arg2 : tensor<16x10xf32>
    %cst = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %1 = stablehlo.reduce(%0 init: %cst) applies stablehlo.add across dimensions = [1] : (tensor<16x10xf32>, tensor<f32>) -> tensor<16xf32>
    %2 = stablehlo.reshape %1 : (tensor<16xf32>) -> tensor<16x1xf32>
    %3 = stablehlo.divide %2, %arg1 : tensor<16x1xf32>
    %cst_0 = stablehlo.constant dense<0.000000e+00> : tensor<f32>
    %4 = stablehlo.reduce(%3 init: %cst_0) applies stablehlo.add across dimensions = [1] : (tensor<16x1xf32>, tensor<f32>) -> tensor<16xf32>
    %5 = stablehlo.broadcast_in_dim %4, dims = [0] : (tensor<16xf32>) -> tensor<16x10xf32>
    %6 = stablehlo.multiply %5, %arg0 : tensor<16x10xf32>
    %7 = stablehlo.add %arg2, %6 : tensor<16x10xf32>
    return %7 : tensor<16x10xf32>
  }
  func.func private @remainder_3(%arg0: tensor<i32>, %arg1: tensor<i32>) -> tensor<i32> {
    %0 = stablehlo.convert %arg1 : tensor<i32>
    %c = stablehlo.constant dense<0> : tensor<i32>
    %1 = stablehlo.compare EQ, %0, %c, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_0 = stablehlo.constant dense<1> : tensor<i32>
    %2 = call @_where(%1, %c_0, %0) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %3 = stablehlo.remainder %arg0, %2 : tensor<i32>
    %c_1 = stablehlo.constant dense<0> : tensor<i32>
    %4 = stablehlo.compare NE, %3, %c_1, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_2 = stablehlo.constant dense<0> : tensor<i32>
    %5 = stablehlo.compare LT, %3, %c_2, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c_3 = stablehlo.constant dense<0> : tensor<i32>
    %6 = stablehlo.compare LT, %2, %c_3, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %7 = stablehlo.compare NE, %5, %6, UNSIGNED : (tensor<i1>, tensor<i1>) -> tensor<i1>
    %8 = stablehlo.and %7, %4 : tensor<i1>
    %9 = stablehlo.add %3, %2 : tensor<i32>
    %10 = stablehlo.select %8, %9, %3 : tensor<i1>, tensor<i32>
    return %10 : tensor<i32>
  }
}
