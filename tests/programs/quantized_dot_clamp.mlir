module @jit_quantized_dot_clamp attributes {mhlo.num_partitions = 1 : i32, mhlo.num_replicas = 1 : i32} {
  func.func public @main(%arg0: tensor<16x32xi8>, %arg1: tensor<32x24xi8>, %arg2: tensor<f32>) -> (tensor<16x24xi8> {jax.result_info = "result"}) {
    %0 = stablehlo.dot_general %arg0, %arg1, contracting_dims = [1] x [0], precision = [DEFAULT, DEFAULT] : (tensor<16x32xi8>, tensor<32x24xi8>) -> tensor<16x24xi32>
    %1 = stablehlo.convert %0 : (tensor<16x24xi32>) -> tensor<16x24xf32>
    %2 = stablehlo.broadcast_in_dim %arg2, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %3 = stablehlo.multiply %1, %2 : tensor<16x24xf32>
    %4 = stablehlo.round_nearest_even %3 : tensor<16x24xf32>
    %cst = stablehlo.constant dense<-1.280000e+02> : tensor<f32>
    %cst_0 = stablehlo.constant dense<1.270000e+02> : tensor<f32>
    %5 = stablehlo.broadcast_in_dim %cst, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %6 = stablehlo.broadcast_in_dim %cst_0, dims = [] : (tensor<f32>) -> tensor<16x24xf32>
    %7 = stablehlo.clamp %5, %4, %6 : tensor<16x24xf32>
    %8 = stablehlo.convert %7 : (tensor<16x24xf32>) -> tensor<16x24xi8>
    return %8 : tensor<16x24xi8>
  }
}
