// Multiplies each of n numbers by factor.
extern "C" __global__ void scale(float *numbers, float factor, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        numbers[i] *= factor;
}
