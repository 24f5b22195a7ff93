void scale(float *x, float factor, int count)
{
    for (int i = 0; i < count; ++i)
        x[i] *= factor;
}
